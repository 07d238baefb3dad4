"""A derived function: what deriving makes and the cache keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from stdiff import exporting
from stdiff.watch import Watch


@dataclass(eq=False)
class Derived:
    """A derived function: its parts by name ("forward" and "backward", or "tangent"), and their text."""

    parts: dict[str, FunctionType] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    callees: list[Derived] = field(default_factory=list)
    waiting: list[tuple[dict[str, Any], str, str]] = field(default_factory=list)
    watch: Watch = field(default_factory=Watch)

    def source(self, *parts: str) -> str:
        """The text of the named parts of this and of every function it calls; of all parts, as a module to be saved."""
        found: dict[int, Derived] = {}
        queue = [self]
        for derived in queue:
            if id(derived) not in found:
                found[id(derived)] = derived
                queue.extend(derived.callees)
        texts = [(d.parts[p], d.texts[p]) for d in found.values() for p in (parts or d.texts) if p in d.texts]
        return "\n\n".join(text for _, text in texts) if parts else exporting.module(texts)


def link(namespace: dict[str, Any], links: Mapping[str, tuple[Derived, str]], caller: Derived) -> None:
    """Bind the parts of other derived functions in a namespace, at once or when they have been made."""
    for label, (derived, part) in links.items():
        if derived not in caller.callees and derived is not caller:
            caller.callees.append(derived)
        if part in derived.parts:
            namespace[label] = derived.parts[part]
        else:
            derived.waiting.append((namespace, label, part))
