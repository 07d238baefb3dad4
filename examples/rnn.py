"""A recurrent network that learns to spell a sentence, one character after the other."""

import numpy as np

import stdiff

TEXT = "to be or not to be, that is the question."
ALPHABET = sorted(set(TEXT))
HIDDEN = 24


def parameters():
    """Small random weights."""
    random = np.random.default_rng(0)
    n = len(ALPHABET)
    return {
        "recurrent": 0.3 * random.normal(size=(HIDDEN, HIDDEN)),
        "input": 0.3 * random.normal(size=(n, HIDDEN)),
        "bias": np.zeros(HIDDEN),
        "output": 0.3 * random.normal(size=(n, HIDDEN)),
        "offset": np.zeros(n),
    }


def step(p, h, code):
    """The next hidden state and the scores of every character to come, after one character."""
    h = np.tanh(p["recurrent"] @ h + p["input"][code] + p["bias"])
    return h, p["output"] @ h + p["offset"]


def loss(p, codes):
    """The mean surprise at each next character."""
    h = np.zeros(HIDDEN)
    total = 0.0
    for t in range(len(codes) - 1):
        h, scores = step(p, h, codes[t])
        total = total + np.log(np.sum(np.exp(scores))) - scores[codes[t + 1]]
    return total / (len(codes) - 1)


def train(p, codes, steps=250, rate=0.02):
    """Adam (Kingma and Ba, 2015, algorithm 1)."""
    value_and_slope = stdiff.value_and_grad(loss)
    mean = {name: np.zeros_like(w) for name, w in p.items()}
    square = {name: np.zeros_like(w) for name, w in p.items()}
    for t in range(1, steps + 1):
        value, slope = value_and_slope(p, codes)
        for name, g in slope.items():
            mean[name] = 0.9 * mean[name] + 0.1 * g
            square[name] = 0.999 * square[name] + 0.001 * g * g
            move = mean[name] / (1.0 - 0.9**t) / (np.sqrt(square[name] / (1.0 - 0.999**t)) + 1e-8)
            p[name] = p[name] - rate * move
        if t % 50 == 1:
            print(f"step {t:4d}   loss {value:.4f}")
    return p


def spell(p, length):
    """The sentence that the network writes after the first character."""
    h = np.zeros(HIDDEN)
    codes = [ALPHABET.index(TEXT[0])]
    while len(codes) < length:
        h, scores = step(p, h, codes[-1])
        codes.append(int(np.argmax(scores)))
    return "".join(ALPHABET[code] for code in codes)


def main():
    codes = [ALPHABET.index(letter) for letter in TEXT]
    p = train(parameters(), codes)
    final = loss(p, codes)
    spelled = spell(p, len(TEXT))
    print(f"finally     loss {final:.4f}")
    print(f"it spells   {spelled}")
    return final, spelled


if __name__ == "__main__":
    main()
