"""Rules for the methods of Python's dicts, lists and strings that only read."""

import warnings

from stdiff.containers import items_bar, keyed, part, values_bar
from stdiff.rules.table import constant, rule

rule(
    dict.get,
    lambda g, y, d, key, default=None: (keyed(d, key, g), None, 0.0 if key in d else g),
    pushforward=lambda t, y, d, key, default=None: (part(t, key), None, 0.0 if key in d else t),
)
rule(dict.items, lambda g, y, d: items_bar(d, g), pushforward=lambda t, y, d: [(0.0, part(t, key)) for key in d])
rule(dict.values, lambda g, y, d: values_bar(d, g), pushforward=lambda t, y, d: [part(t, key) for key in d])
rule(dict.copy, lambda g, y, d: g, pushforward=lambda t, y, d: t)
rule(list.copy, lambda g, y, x: g, pushforward=lambda t, y, x: t)
constant(dict.keys, list.index, list.count, tuple.index, tuple.count)
constant(
    str.join, str.format, str.upper, str.lower, str.strip, str.split, str.startswith, str.endswith, str.replace,
    str.title,
)
constant(warnings.warn, warnings.simplefilter, warnings.filterwarnings)
