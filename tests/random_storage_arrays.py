"""The statements of random programs that make arrays and share them."""

from __future__ import annotations

from tests.random_storage_writer import Writer, kind, of_array, shape


@kind("assign", 2.0)
def assign(w: Writer) -> bool:
    if w.chance(0.4):
        value = w.number()
        w.put(f"{w.bind('q', 'number')} = {value}")
    else:
        digits = w.pick("4", "4", "3", "33", "33", "2", "23")
        value = w.array(digits)
        w.put(f"{w.bind('a', digits)} = {value}")
    return True


@kind("number_op", 0.8)
def number_op(w: Writer) -> bool:
    names = w.of("number")
    w.put(f"{w.random.choice(names)} {w.operator()}= {w.number(1)}")
    return True


@kind("buffer", 0.6)
def buffer(w: Writer) -> bool:
    """A new array that is filled in a loop."""
    name, i, empty = w.fresh("a"), w.fresh("i"), w.chance(0.3)
    w.put(f"{name} = np.{'empty' if empty else w.pick('zeros', 'ones')}(4)")
    w.put(f"for {i} in range(4):")
    with w.block(loop=True):
        w.counters.append(i)
        if not empty:
            w.names[name] = "4"
        w.put(f"{name}[{i}] = {w.number(1)}")
        if w.chance(0.3):
            w.put(f"{name}[{i}] {w.operator()}= {w.number(1)}")
    w.names[name] = "4"
    return True


@kind("stencil", 0.4)
def stencil(w: Writer) -> bool:
    """Two buffers that change their roles in each step."""
    found = w.target(wanted=w.pick("4", "33"))
    if found is None or w.loops > 1:
        return False
    u, v, i, (text, digits) = w.fresh("u"), w.fresh("u"), w.fresh("i"), found
    w.put(f"{u}, {v} = {text}, {w.pick('np.zeros_like({})', '{}.copy()').format(text)}")
    w.put(f"for {i} in range({w.pick('2', '3')}):")
    with w.block(loop=True):
        w.put(f"{v}[1:-1] = {w.constant()} * ({u}[:-2] + {u}[2:]) * {u}[1:-1] + {w.number(1)}")
        w.put(f"{v}[0], {v}[-1] = {u}[{w.pick('0', '-1', '1')}], {u}[0] * {w.number(1)}")
        w.put(f"{u}, {v} = {v}, {u}")
    w.names[u] = w.names[v] = digits
    return True


# Sharing.


@kind("view", 1.5)
def view(w: Writer) -> bool:
    arrays = w.arrays()
    if not arrays:
        return False
    text, digits = w.view(*w.random.choice(arrays))
    if w.chance(0.3):
        text, digits = w.view(text, digits)
    w.put(f"{w.bind('b', digits)} = {text}")
    return True


@kind("alias")
def alias(w: Writer) -> bool:
    names = [name for name, found in w.names.items() if not found.startswith("mask")]
    atom = w.random.choice(names)
    found = w.names[atom]
    if w.chance(0.3) and w.arrays():
        atom, found = w.random.choice(w.arrays())
    if of_array(found) and w.chance(0.2):
        value, other = w.array(found, 1), w.fresh("c")
        w.put(f"{w.bind('c', found)} = {other} = {value}")
        w.names[other] = found
    else:
        w.put(f"{w.bind('c', found)} = {atom}")
    return True


@kind("conditional_alias", 0.8)
def conditional_alias(w: Writer) -> bool:
    arrays = w.arrays()
    if not arrays:
        return False
    first, digits = w.random.choice(arrays)
    second = w.random.choice(w.atoms(digits))
    if w.chance(0.3):
        second = w.array(digits, 1)
    name, test = w.bind("c", digits), w.test()
    if w.chance(0.6):
        w.put(f"{name} = {first} if {test} else {second}")
    else:
        w.put(f"{name} = {first}")
        w.put(f"if {test}:")
        w.put(f"    {name} = {second}")
    if w.chance(0.5):
        w.put(f"{name} {w.operator()}= {w.number(1)}")
    return True


@kind("mixed", 0.2)
def mixed(w: Writer) -> bool:
    """A name that is a number on one path and an array on the other."""
    arrays, numbers = w.named_arrays(), w.of("number")
    if not arrays:
        return False
    name, (array, _) = w.fresh("m"), w.random.choice(arrays)
    w.put(f"{name} = {array} if {w.test()} else {w.random.choice(numbers)}")
    w.put(f"{name} {w.operator()}= {w.number(1)}")
    value = f"np.tanh(np.sum({name})) + {w.number(1)}"
    w.put(f"{w.bind('q', 'number')} = {value}")
    return True


@kind("zero_d", 0.2)
def zero_d(w: Writer) -> bool:
    """An array without axes, which an update writes into, under two names."""
    one, other = w.fresh("o"), w.fresh("o")
    w.put(f"{one} = np.array({w.number(1)})")
    w.put(f"{other} = {one}")
    w.put(w.pick("{0} {1}= {2}", "{0}[...] {1}= {2}", "{0}[()] = {2}").format(one, w.operator(), w.number(1)))
    w.statements(1)
    value = f"float({other}) * {w.pick(one, f'{one}[()]')} + {w.number(2)}"
    w.put(f"{w.bind('q', 'number')} = {value}")
    return True


@kind("swap", 0.7)
def swap(w: Writer) -> bool:
    """Two names, items or rows change places."""
    pairs = [(name, other) for name, found in w.named_arrays() for other in w.of(found) if name != other]
    if pairs and w.chance(0.6):
        first, second = w.random.choice(pairs)
    else:
        found = w.target()
        if found is None:
            return False
        text, digits = found
        n = shape(digits)[0]
        first, second = f"{text}[{w.index(n)}]", f"{text}[{w.index(n)}]"
    w.put(f"{first}, {second} = {second}, {first}")
    return True
