"""A user's game that numbers its positions: take one or two counters; who cannot loses."""

from zermelo.jit import kernel


class Countdown:
    degree = 2

    def __init__(self, counters=30):
        self.size, self.start = counters, counters - 1

        @kernel
        def predecessors(i, out):
            count = 0
            for before in range(i + 1, min(i + 3, counters)):
                out[count] = before
                count += 1
            return count

        self.predecessors = predecessors

    def initial(self):
        return self.start

    def moves(self, i):
        return [i - k for k in (1, 2) if i >= k]

    @staticmethod
    @kernel
    def outcome(i):
        return 2 if i else -1

    @staticmethod
    @kernel
    def successors(i, out):
        count = 0
        for after in range(max(i - 2, 0), i):
            out[count] = after
            count += 1
        return count
