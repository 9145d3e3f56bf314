"""Idle connections and long pauses."""

from pullcept.host.pulse import BEAT_SECONDS, GONE_AFTER_BEATS, PING_AFTER_BEATS, Pulse, Silence


def test_regular_beats_are_no_pause() -> None:
    pulse = Pulse()
    assert not any(pulse.beat(at, 1000 + at) for at in (0.0, 5.0, 10.5, 16.0))


def test_a_stopped_process_and_a_jumping_wall_clock_are_long_pauses() -> None:
    pulse = Pulse()
    pulse.beat(0.0, 1000.0)
    assert pulse.beat(90.0, 1090.0)
    assert not pulse.beat(95.0, 1095.0)
    assert pulse.beat(100.0, 4700.0)
    assert pulse.beat(105.0, 1110.0)
    assert not pulse.beat(105.0 + BEAT_SECONDS, 1110.0 + BEAT_SECONDS)


def test_a_silent_peer_is_asked_for_a_sign_of_life_and_then_given_up() -> None:
    silence = Silence()
    beats = [silence.beat() for _ in range(GONE_AFTER_BEATS)]
    asked = [count for count, (ask, _) in enumerate(beats, 1) if ask]
    assert asked[0] == PING_AFTER_BEATS
    assert [gone for _, gone in beats] == [False] * (GONE_AFTER_BEATS - 1) + [True]


def test_a_peer_that_answers_is_never_given_up() -> None:
    silence = Silence()
    for _ in range(10 * GONE_AFTER_BEATS):
        ask, gone = silence.beat()
        assert not gone
        if ask:
            silence.heard()
