"""The statements of random programs that write into arrays."""

from __future__ import annotations

import math

from tests.random_storage_writer import Writer, kind, shape


@kind("item", 1.5)
def item(w: Writer) -> bool:
    found = w.target()
    if found is None:
        return False
    w.put(f"{w.element(*found)} = {w.number()}")
    return True


@kind("item_op", 1.5)
def item_op(w: Writer) -> bool:
    found = w.target()
    if found is None:
        return False
    if w.chance(0.2):
        w.put(f"{w.element(*found)} /= 1.5 + {w.number(1)} ** 2")
    else:
        w.put(f"{w.element(*found)} {w.operator()}= {w.number(1)}")
    return True


def written(w: Writer, text: str, digits: str) -> None:
    """A write into all of the array that `text` shows."""
    if w.chance(0.15):
        w.put(f"{text} /= 1.5 + {w.array(digits, 1)} ** 2")
    else:
        w.put(f"{text} {w.pick('=', '=', '=', '+=', '-=', '*=')} {w.value(digits)}")


@kind("part", 2.0)
def part(w: Writer) -> bool:
    """A write into a slice, a row, a column."""
    found = w.target()
    if found is None:
        return False
    text, digits = found
    for _ in range(5):
        seen, shown = w.view(text, digits)
        if seen.startswith(f"{text}[") and seen.endswith("]"):
            written(w, seen, shown)
            return True
    return False


@kind("shifted", 0.5)
def shifted(w: Writer) -> bool:
    """A write of an array into a part of itself."""
    found = w.target()
    if found is None:
        return False
    a, _ = found
    forms = [
        f"{a}[1:] {w.pick('', '+', '*')}= {a}[:-1]", f"{a}[:] = {a}[::-1]", f"{a}[::-1] {w.operator()}= {a}",
        f"{a}[:-1] = {w.pick('0.5', '-0.7')} * {a}[1:] + {a}[:-1]", f"{a}[0], {a}[-1] = {a}[-1], {a}[0]",
        f"{a}[...] = {a} * {w.number(1)}", f"{a}[-1] = {a}[0]",
    ]  # fmt: skip
    w.put(w.random.choice(forms))
    return True


@kind("masked")
def masked(w: Writer) -> bool:
    found = w.target()
    if found is None:
        return False
    text, digits = found
    mask = w.mask(digits)
    if w.chance(0.4):
        name = w.fresh("mask")
        w.put(f"{name} = {mask}")
        w.names[name], mask = f"mask {digits}", name
    if mask.isidentifier() and w.chance(0.4):
        w.put(f"{text}[{mask}] {w.pick('', '', '+', '*')}= {w.array(digits, 2)}[{mask}]")
    else:
        w.put(f"{text}[{mask}] {w.pick('', '', '+', '-', '*')}= {w.number(1)}")
    return True


@kind("fancy")
def fancy(w: Writer) -> bool:
    """A write at arrays of integers, with repetitions."""
    found = w.target()
    if found is None:
        return False
    text, digits = found
    n, rest = shape(digits)[0], digits[1:]
    picked = [w.random.randrange(-n, n) for _ in range(w.random.choice([2, 3]))]
    index = w.pick("{}", "np.array({})").format(picked)
    shown = f"{len(picked)}{rest}"
    operator = w.pick("", "", "+", "-", "*")
    if rest and w.chance(0.4):
        columns = [w.random.randrange(int(rest[-1])) for _ in picked]
        index, shown = f"{picked}, {columns}", str(len(picked))
    repeated = len({k % n for k in picked}) < len(picked)
    value = w.number(1) if w.chance(0.3) or (repeated and not operator and w.chance(0.5)) else w.array(shown, 1)
    w.put(f"{text}[{index}] {operator}= {value}")
    return True


@kind("array_op", 1.2)
def array_op(w: Writer) -> bool:
    arrays = w.arrays()
    if not arrays:
        return False
    text, digits = w.random.choice(arrays)
    if w.chance(0.2):
        w.put(f"{text} /= 1.5 + {w.array(digits, 2)} ** 2")
    elif len(digits) == 2 and digits[0] == digits[1] and w.chance(0.15):
        w.put(f"{text} @= {w.array(digits, 1)}")
    elif w.chance(0.15):
        w.put(f"{text} **= 2")
    else:
        w.put(f"{text} {w.pick('+=', '-=', '*=')} {w.value(digits)}")
    return True


@kind("out")
def out(w: Writer) -> bool:
    found = w.target()
    if found is None:
        return False
    text, digits = found
    a, b = w.array(digits, 1), w.value(digits)
    forms = [
        f"np.{w.pick('add', 'multiply', 'subtract')}({a}, {b}, out={text})",
        f"np.{w.pick('add', 'multiply', 'subtract')}({text}, {b}, out={text})",
        f"np.{w.pick('sin', 'tanh', 'cos')}({a}, out={text})",
        f"np.{w.pick('sin', 'tanh', 'cos')}({text}, {text})",
        f"np.divide({a}, 1.5 + {text} ** 2, out={text})",
        f"np.clip({a}, -0.9, {w.pick('0.8', '1.1')}, out={text})",
        f"np.maximum({text}, {w.number(2)}, out={text})",
    ]
    if len(digits) == 1:
        forms.append(f"np.cumsum({a}, out={text})")
    if digits == "33":
        forms.append(f"np.matmul({w.array('33', 2)}, {w.array('33', 2)}, out={text})")
    if digits == "3" and w.atoms("33"):
        forms.append(f"np.sum({w.array('33', 2)}, axis=0, out={text})")
    line = w.random.choice(forms)
    if w.chance(0.25):
        line = f"{w.bind('c', digits)} = {line}"
    w.put(line)
    return True


@kind("where_out", 0.5)
def where_out(w: Writer) -> bool:
    found = w.target()
    if found is None:
        return False
    text, digits = found
    mask = w.mask(digits)
    forms = [
        f"np.{w.pick('sin', 'tanh')}({w.array(digits, 1)}, out={text}, where={mask})",
        f"np.{w.pick('add', 'multiply')}({w.array(digits, 1)}, {w.value(digits)}, out={text}, where={mask})",
    ]
    w.put(w.random.choice(forms))
    return True


@kind("ufunc_at", 0.6)
def ufunc_at(w: Writer) -> bool:
    found = w.target()
    if found is None:
        return False
    text, digits = found
    n, rest = shape(digits)[0], digits[1:]
    picked = [w.random.randrange(n) for _ in range(3)]
    value = w.number(1) if w.chance(0.4) else w.array(f"3{rest}", 1)
    w.put(f"np.{w.pick('add', 'add', 'subtract', 'multiply')}.at({text}, {picked}, {value})")
    return True


@kind("copyto", 0.6)
def copyto(w: Writer) -> bool:
    found = w.target()
    if found is None:
        return False
    text, digits = found
    where = f", where={w.mask(digits)}" if w.chance(0.4) else ""
    w.put(f"np.copyto({text}, {w.value(digits)}{where})")
    return True


@kind("put", 0.4)
def put(w: Writer) -> bool:
    """np.put, np.putmask, np.place."""
    found = w.target()
    if found is None:
        return False
    text, digits = found
    mask, n = w.mask(digits), math.prod(shape(digits))
    forms = [
        f"np.put({text}, {[w.random.randrange(n) for _ in range(2)]}, {w.array('2', 1)})",
        f"np.put({text}, {w.random.randrange(n)}, {w.number(1)})",
        f"{text}.put({[w.random.randrange(n) for _ in range(2)]}, {w.number(1)})",
        f"np.putmask({text}, {mask}, {w.array(digits, 1)})",
        f"np.place({text}, {mask}, {w.number(1)})",
    ]
    w.put(w.random.choice(forms))
    return True


@kind("put_along_axis", 0.4)
def put_along_axis(w: Writer) -> bool:
    found = w.target(wanted="33")
    if found is None:
        return False
    text, _ = found
    if w.chance(0.5):
        order = f"np.argmax({w.array('33', 2)}, axis=1)[:, None]"
        w.put(f"np.put_along_axis({text}, {order}, {w.number(1)}, axis=1)")
    else:
        w.put(f"np.put_along_axis({text}, np.argsort({w.array('33', 2)}, axis=0), {w.array('33', 1)}, axis=0)")
    return True


@kind("fill_diagonal", 0.4)
def fill_diagonal(w: Writer) -> bool:
    found = w.target(wanted="33")
    if found is None:
        return False
    w.put(f"np.fill_diagonal({found[0]}, {w.number(1) if w.chance(0.5) else w.array('3', 1)})")
    return True


@kind("sort", 0.4)
def sort(w: Writer) -> bool:
    found = w.target()
    if found is None:
        return False
    text, digits = found
    w.put(f"{text}.sort({w.pick('', 'axis=0') if len(digits) == 2 else ''})")
    return True


@kind("fill", 0.5)
def fill(w: Writer) -> bool:
    found = w.target()
    if found is None:
        return False
    w.put(f"{found[0]}.fill({w.number(1)})")
    return True


@kind("flat", 0.5)
def flat(w: Writer) -> bool:
    found = w.target()
    if found is None:
        return False
    text, digits = found
    size = math.prod(shape(digits))
    forms = [f"{text}.flat[{w.index(size)}] = {w.number(1)}", f"{text}.flat[1:] = {w.number(1)}"]
    forms += [f"{text}.flat = {w.array(digits, 1)}", f"{text}.flat[{w.index(size)}] += {w.number(1)}"]
    w.put(w.random.choice(forms))
    return True


@kind("rows", 0.8)
def rows(w: Writer) -> bool:
    """A loop over the rows of an array that writes into them."""
    arrays = [(text, digits) for text, digits in w.arrays() if len(digits) == 2]
    if not arrays:
        return False
    text, digits = w.random.choice(arrays)
    if w.chance(0.3):
        text, digits = f"{text}.T", digits[::-1]
    row, i = w.fresh("row"), w.fresh("i")
    forms = [f"for {row} in {text}:", f"for {i}, {row} in enumerate({text}):"]
    if w.atoms(digits[0]):
        forms.append(f"for {i}, {row} in zip({w.random.choice(w.atoms(digits[0]))}, {text}):")
    head = w.random.choice(forms)
    w.put(head)
    with w.block(loop=True):
        if "enumerate" in head:
            w.counters.append(i)
        elif "zip" in head:
            w.names[i] = "number"
        w.names[row] = digits[1]
        if w.chance(0.3):
            written(w, f"{row}[{w.pick(':', '::-1')}]", digits[1])
        else:
            w.put(f"{row} {w.pick('+=', '*=', '-=')} {w.number(1)}")
        if w.chance(0.4):
            w.statements(1)
    return True
