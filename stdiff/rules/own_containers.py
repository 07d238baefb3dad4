"""Rules for the helpers of generated code that handle containers, so that a derivative can be derived again."""

from stdiff.containers import (
    accumulate,
    accumulate_at,
    as_dict,
    as_list,
    attribute_bar,
    attribute_dot,
    components,
    item_at,
    item_dot,
    items_bar,
    kept,
    keyed,
    own,
    pairs_bar,
    pairs_dot,
    part,
    part_bar,
    rebinds,
    repeated_bar,
    repeated_dot,
    runs_through,
    unpacked,
    values_bar,
    without,
    zeros_like,
)
from stdiff.functions import method
from stdiff.rules.table import constant, rule
from stdiff.structures import basis, conform, fill, require_array, require_pair, require_scalar, stop_gradient

constant(item_at, zeros_like, method, rebinds, runs_through, basis, stop_gradient)
constant(require_pair, require_scalar, require_array)
rule(part, lambda g, y, container, key: (part_bar(container, key, g), None),
     pushforward=lambda t, y, container, key: (part(t, key), None))
rule(without, lambda g, y, bar, keys: (g, None), pushforward=lambda t, y, bar, keys: (without(t, keys), None))
rule(item_dot, lambda g, y, x_dot, x, key: (accumulate_at(0.0, x, key, g), None, None),
     pushforward=lambda t, y, x_dot, x, key: (item_dot(t, x, key), None, None))
rule(kept, lambda g, y, x: g, pushforward=lambda t, y, x: kept(t))
rule(own, lambda g, y, bar, x: (g, None), pushforward=lambda t, y, bar, x: (own(t, x), None))
rule(as_list, lambda g, y, bar, x: (g, None), pushforward=lambda t, y, bar, x: (as_list(t, x), None))
rule(conform, lambda g, y, g0, x: (g, None), pushforward=lambda t, y, g0, x: (t, None), view=("g0",))
rule(fill, lambda g, y, t, x, label: (g, None), pushforward=lambda t, y, t0, x, label: (t, None), view=("t",))
rule(accumulate, lambda g, y, a, b: (g, g), pushforward=lambda t, y, a, b: (t, t))
rule(accumulate_at, lambda g, y, x_bar, x, key, item: (g, None, None, item_dot(g, x, key)),
     pushforward=lambda t, y, x_bar, x, key, item: (t, None, None, accumulate_at(0.0, x, key, t)), view=("x_bar",))
rule(unpacked, lambda g, y, x, bars: (None, components(g, bars)),
     pushforward=lambda t, y, x, bars: (None, unpacked(x, components(t, bars))))
rule(components, lambda g, y, x_dot, x: (unpacked(x, components(g, x)), None),
     pushforward=lambda t, y, x_dot, x: (components(t, x), None), view=("x_dot",))
rule(as_dict, lambda g, y, x: g, pushforward=lambda t, y, x: as_dict(t), view=("x",))
rule(attribute_bar, lambda g, y, x, name, bar: (None, None, attribute_dot(x, name, g)),
     pushforward=lambda t, y, x, name, bar: (None, None, attribute_bar(x, name, t)))
rule(attribute_dot, lambda g, y, x, name, x_dot: (None, None, attribute_bar(x, name, g)),
     pushforward=lambda t, y, x, name, x_dot: (None, None, attribute_dot(x, name, t)))
rule(keyed, lambda g, y, d, key, bar: (None, None, part(g, key)),
     pushforward=lambda t, y, d, key, bar: (None, None, keyed(d, key, t)))
rule(items_bar, lambda g, y, d, bar: (None, [(0.0, part(g, key)) for key in d]),
     pushforward=lambda t, y, d, bar: (None, items_bar(d, t)))
rule(values_bar, lambda g, y, d, bar: (None, [part(g, key) for key in d]),
     pushforward=lambda t, y, d, bar: (None, values_bar(d, t)))
rule(pairs_bar, lambda g, y, pairs, bar: (None, pairs_dot(pairs, g)),
     pushforward=lambda t, y, pairs, bar: (None, pairs_bar(pairs, t)))
rule(pairs_dot, lambda g, y, pairs, t0: (None, pairs_bar(pairs, g)),
     pushforward=lambda t, y, pairs, t0: (None, pairs_dot(pairs, t)))
rule(repeated_bar, lambda g, y, x, bar: (None, repeated_dot(g, len(bar) // max(len(x), 1))),
     pushforward=lambda t, y, x, bar: (None, repeated_bar(x, t)))
rule(repeated_dot, lambda g, y, t0, n: (repeated_bar(t0, g), None),
     pushforward=lambda t, y, t0, n: (repeated_dot(t, n), None))
rule(
    part_bar,
    lambda g, y, whole, key, bar: (None, None, part(g, key)),
    pushforward=lambda t, y, whole, key, bar: (None, None, part_bar(whole, key, t)),
)
