"""The statements of random programs that keep things in lists, dicts and objects."""

from __future__ import annotations

from tests.random_storage_writer import KEYS, Writer, kind, of_array


def elements(w: Writer, found: str) -> str:
    """Something that a container of a kind may hold: shared, or new."""
    if found == "number":
        return w.number(1)
    if found.startswith("list "):
        made = w.of(found)
        return w.random.choice(made) if made and w.chance(0.5) else f"[{elements(w, found[5:])}]"
    if found == "cell":
        made = w.atoms(found)
        value = f"{elements(w, 'number')}, {elements(w, '4')}, {elements(w, 'list number')}"
        return w.random.choice(made) if made and w.chance(0.6) else f"Cell({value})"
    arrays = w.atoms(found)
    if arrays and w.chance(0.6):
        return w.random.choice(arrays)
    return w.array(found, 1)


@kind("new_list", 0.6)
def new_list(w: Writer) -> bool:
    found = w.pick("number", "4", "3", "list number", *["cell"] * bool(w.of("cell")))
    value = ", ".join(elements(w, found) for _ in range(w.random.randint(1, 3)))
    forms = [f"[{value}]"]
    if found == "3" and w.atoms("33"):
        matrix = w.random.choice(w.atoms("33"))
        forms += [f"list({matrix})", f"[row * {w.number(2)} for row in {matrix}]", f"[row for row in {matrix}]"]
    if found == "number" and w.atoms("4"):
        forms += [f"[e * {w.number(2)} for e in {w.random.choice(w.atoms('4'))}]"]
    text = w.random.choice(forms)
    w.put(f"{w.bind('items', f'list {found}')} = {text}")
    return True


def a_list(w: Writer) -> tuple[str, str] | None:
    """An atom that is a list, and what it holds."""
    kinds = {k for k in w.names.values() if k.startswith("list ")}
    kinds |= {k.removeprefix("list ") for k in kinds if k.startswith("list list ")}
    kinds |= {"list number"} if w.of("dict list number") else set()
    kinds |= {"list number"} if w.of("cell", "box") else set()
    found = [(atom, k.removeprefix("list ")) for k in sorted(kinds) for atom in w.atoms(k)]
    return w.random.choice(found) if found else None


@kind("list_grow", 0.8)
def list_grow(w: Writer) -> bool:
    found = a_list(w)
    if found is None or not w.growing:
        return False
    items, held = found
    e = elements(w, held)
    forms = [f"{items}.append({e})"] * 3 + [f"{items}.insert({w.pick('0', '1', '-1')}, {e})"]
    forms += [f"{items}.extend([{e}])", f"{items} += [{e}, {elements(w, held)}]", f"{items}[1:1] = [{e}]"]
    forms += [f"{items}[:0] = {items}[:1]", f"{items}.extend({items}[:1])", f"{items} *= 2" if not w.loops else ""]
    w.put(w.random.choice([form for form in forms if form]))
    return True


@kind("list_shrink", 0.6)
def list_shrink(w: Writer) -> bool:
    found = a_list(w)
    if found is None or not w.growing:
        return False
    items, held = found
    place = w.pick("", "0", "-1")
    if w.chance(0.1):
        e = elements(w, held)
        w.put(f"{w.bind('g', held)} = {e}")
        w.put(f"{items}.clear()")
        w.put(f"{items}.append({w.random.choice(w.of(held))})")
        return True
    if w.chance(0.3):
        w.put(f"{items}.append({elements(w, held)})")
        w.put(f"{w.bind('p', held)} = {items}.pop({place})")
        return True
    w.put(f"if len({items}) > 1:")
    with w.block():
        forms = [f"del {items}[{w.pick('0', '-1', '1:', ':-1')}]", f"{items}.pop({place})", f"{items}[1:] = []"]
        forms += [f"{w.bind('p', held)} = {items}.pop({place})"] * 2
        w.put(w.random.choice(forms))
    return True


@kind("list_set", 0.9)
def list_set(w: Writer) -> bool:
    found = a_list(w)
    if found is None:
        return False
    items, held = found
    place = w.pick("0", "-1")
    if w.counters and w.chance(0.4):
        place = f"{w.random.choice(w.counters)} % len({items})"
    forms = [f"{items}[{place}] = {elements(w, held)}", f"{items}[:1] = [{elements(w, held)}]", f"{items}.reverse()"]
    forms += [f"{items}[0], {items}[-1] = {items}[-1], {items}[0]", f"{items}[:] = {items}[::-1]"]
    if held == "number" or of_array(held):
        forms += [f"{items}[{place}] {w.operator()}= {w.number(1)}"] * 2
    if held == "number" and w.chance(0.3):
        forms.append(f"{items}.sort({w.pick('', 'reverse=True')})")
    w.put(w.random.choice(forms))
    return True


@kind("list_read", 0.6)
def list_read(w: Writer) -> bool:
    """A loop over a list, a copy of it, a part of it."""
    found = a_list(w)
    if found is None:
        return False
    items, held = found
    if w.chance(0.4):
        text = w.pick("{}[:]", "{}.copy()", "list({})", "{} * 1", "{0} + {0}[:1]").format(items)
        w.put(f"{w.bind('items', f'list {held}')} = {text}")
        return True
    if w.loops > 1:
        return False
    e, i = w.fresh("e"), w.fresh("i")
    w.put(w.pick(f"for {e} in {items}:", f"for {i}, {e} in enumerate({items}):", f"for {e} in {items}[::-1]:"))
    with w.block(loop=True):
        w.growing = False
        w.names[e] = held
        if held == "number" or of_array(held):
            w.put(f"{e} {w.operator()}= {w.number(1)}")
        w.statements(w.random.randint(1, 2))
    return True


# Dicts and objects.


@kind("new_dict", 0.4)
def new_dict(w: Writer) -> bool:
    found = w.pick("number", "4", "list number")
    a, b = elements(w, found), elements(w, found)
    w.put(f"{w.bind('table', f'dict {found}')} = " + w.pick(f'{{"a": {a}, "b": {b}}}', f"dict(a={a}, b={b})"))
    return True


@kind("dict", 0.9)
def table(w: Writer) -> bool:
    names = [(name, k.removeprefix("dict ")) for name, k in w.names.items() if k.startswith("dict ")]
    if not names:
        return False
    d, held = w.random.choice(names)
    key, e = w.pick(*KEYS), elements(w, held)
    forms = [f"{d}[{key}] = {e}", f"{d}.update({{{key}: {e}}})"]
    forms += [f"{d}[{key}] {w.operator()}= {w.number(1)}"] * (held == "number" or of_array(held))
    forms += [f'{d}["c"] = {e}', f"{d}.update(b={e})", f"{d} |= {{{key}: {e}}}"]
    line = w.random.choice(forms)
    got = [f'{d}.get("c", {e})', f'{d}.pop("c", {e})', f'{d}.setdefault("c", {e})', f"{d}.get({key})"]
    if w.chance(0.4):
        line = f"{w.bind('g', held)} = {w.random.choice(got)}"
    w.put(line)
    if w.chance(0.1):
        text = w.pick("{}.copy()", "dict({})", "{{**{}}}").format(d)
        w.put(f"{w.bind('table', f'dict {held}')} = {text}")
    elif w.chance(0.1):
        w.put(f'{d}["z"] = {elements(w, held)}')
        w.put(f"_, {w.bind('g', held)} = {d}.popitem()")
    elif w.chance(0.15) and not held.startswith("list"):
        k, v = w.fresh("k"), w.fresh("v")
        w.put(f"for {k}, {v} in {d}.items():")
        w.put(f"    {w.pick(v, v if of_array(held) else f'{d}[{k}]')} {w.operator()}= {w.number(1)}")
    elif w.chance(0.15):
        w.put(f"{w.bind('g', held)} = {d}.pop({key})")
        w.put(f"{d}[{key}] = {w.random.choice(w.of(held))}")
    elif w.chance(0.1):
        w.put(f'{d}["c"] = {elements(w, held)}')
        w.put(f'del {d}["c"]')
    return True


@kind("new_cell", 0.4)
def new_cell(w: Writer) -> bool:
    value = elements(w, "cell")
    w.put(f"{w.bind('cell', 'cell')} = {value}")
    return True


@kind("new_box", 0.3)
def new_box(w: Writer) -> bool:
    value = f"{elements(w, 'number')}, {elements(w, '4')}"
    w.put(f"{w.bind('box', 'box')} = Box({value})")
    return True


@kind("method", 0.5)
def method(w: Writer) -> bool:
    """A call of a method that writes into its object, and returns a part of it."""
    names = w.of("box")
    if not names or not w.growing:
        return False
    text = f"{w.random.choice(names)}.step({w.number(1)})"
    if w.chance(0.5):
        text = f"{w.bind('r', '4')} = {text}"
    w.put(text)
    return True


@kind("attribute", 0.9)
def attribute(w: Writer) -> bool:
    names = w.atoms("cell") + w.atoms("box")
    if not names:
        return False
    o = w.random.choice(names)
    forms = [f"{o}.s = {w.number(1)}", f"{o}.s {w.operator()}= {w.number(1)}", f"{o}.u = {elements(w, '4')}"]
    forms += [f"{o}.u {w.operator()}= {w.value('4')}", f"{o}.u[{w.index(4)}] = {w.number(1)}"]
    forms += [f'setattr({o}, "s", {w.number(1)})', f"{o}.u, {o}.s = {o}.u * {o}.s, {o}.u[0]"]
    forms += [f"{o}.items = {elements(w, 'list number')}", f"{o}.items[0] = {w.number(1)}"]
    w.put(w.random.choice(forms))
    return True
