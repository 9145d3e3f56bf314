"""The beat at which idle connections are looked at, and the notice that this computer slept.

Silence is counted in beats, not in seconds: an hour of suspend is one beat, so nobody is late because
of it. A beat that comes far too late also wipes all counts, which forgives every late answer once.
"""

BEAT_SECONDS = 5.0
PAUSE_SECONDS = 30.0
PING_AFTER_BEATS = 4
GONE_AFTER_BEATS = 16


class Pulse:
    """Tells whether the time between two beats was a long pause (suspend, stopped process, clock jump)."""

    def __init__(self) -> None:
        self._last: tuple[float, float] | None = None

    def beat(self, monotonic: float, wall: float) -> bool:
        """Note one beat (both in seconds); True when either clock moved over `PAUSE_SECONDS` more than due."""
        last, self._last = self._last, (monotonic, wall)
        if last is None:
            return False
        late = monotonic - last[0] - BEAT_SECONDS
        jump = abs(wall - last[1] - BEAT_SECONDS)
        return late > PAUSE_SECONDS or jump > PAUSE_SECONDS


class Silence:
    """How long one peer has said nothing, in beats."""

    def __init__(self) -> None:
        self._beats = 0

    def heard(self) -> None:
        """The peer said something."""
        self._beats = 0

    def beat(self) -> tuple[bool, bool]:
        """Count one beat: (ask the peer for a sign of life, give it up)."""
        self._beats += 1
        return self._beats % PING_AFTER_BEATS == 0, self._beats >= GONE_AFTER_BEATS
