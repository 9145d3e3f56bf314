"""Launch records: who is admitted, and the lines and names a session is started with."""

import shlex

import pytest

from pullcept.core.launch import (
    KEPT_ENDED,
    ROOM_NAMES,
    Admissions,
    Launch,
    LaunchLineError,
    SidecarLine,
    role_line,
    room_environment,
    shell_text,
    sidecar_line,
    statusline_line,
)
from pullcept.core.seat import Seat

SEAT = Seat("acc", "topic")


def launch(generation: int = 1, seat: Seat = SEAT, hue: int | None = 20, unseen: bool = False) -> Launch:
    return Launch(
        seat=seat,
        generation=generation,
        launch_secret=f"launch-{seat.account_id}-{generation}",
        control_secret=f"control-{seat.account_id}-{generation}",
        name="Lin",
        full_name=None,
        hue=hue,
        role="claude_code",
        entry="pullcept-room",
        origin=f"origin-{seat.account_id}-{generation}",
        unseen_history=unseen,
    )


def admitted(
    rules: Admissions,
    instance: str | None = "one",
    now: float = 0.0,
    *,
    secret: str | None = "launch-acc-1",
    control: str | None = None,
    entry: str | None = "pullcept-room",
) -> str:
    """The reason of a refusal, or empty."""
    admission = rules.admit(secret, control, entry, instance, now)
    assert (admission.launch is None) == bool(admission.reason)
    return admission.reason


@pytest.fixture
def rules() -> Admissions:
    rules = Admissions()
    rules.add(launch())
    return rules


def test_the_first_instance_with_its_own_entry_is_admitted(rules: Admissions) -> None:
    admission = rules.admit("launch-acc-1", None, "pullcept-room", "one", 0.0)
    assert admission.launch == launch()
    assert not admission.control


def test_the_control_secret_gives_control(rules: Admissions) -> None:
    assert rules.admit("launch-acc-1", "control-acc-1", "pullcept-room", "one", 0.0).control
    assert not rules.admit("launch-acc-1", "control-acc-2", "pullcept-room", "one", 0.0).control
    assert not rules.admit("launch-acc-1", "launch-acc-1", "pullcept-room", "one", 0.0).control


@pytest.mark.parametrize("secret", ["", None, "launch-acc-2", "control-acc-1", "laünch", "launch-acc-1 ", "\ud800"])
def test_a_secret_of_no_launch_is_refused(rules: Admissions, secret: str | None) -> None:
    assert admitted(rules, secret=secret)


def test_a_launch_with_an_empty_secret_admits_nobody() -> None:
    rules = Admissions()
    rules.add(Launch(SEAT, 1, "", "", "Lin", None, None, "cli", "", "o"))
    assert admitted(rules, secret="", entry="")


@pytest.mark.parametrize("entry", [None, "", "pullcept-room-other"])
def test_a_bridge_of_another_registration_is_refused_and_binds_nothing(rules: Admissions, entry: str | None) -> None:
    assert "registration" in admitted(rules, "nested", entry=entry)
    assert not admitted(rules, "one")


@pytest.mark.parametrize("instance", [None, ""])
def test_a_bridge_without_an_instance_is_refused(rules: Admissions, instance: str | None) -> None:
    assert admitted(rules, instance)


def test_the_bound_instance_may_come_back_at_any_time(rules: Admissions) -> None:
    assert not admitted(rules, "one", 0.0)
    assert not admitted(rules, "one", 1.0)
    rules.instance_gone("one", 2.0)
    rules.instance_gone("one", 2.0)
    assert not admitted(rules, "one", 9_999.0)


def test_another_instance_is_refused_while_the_bound_one_is_connected(rules: Admissions) -> None:
    assert not admitted(rules, "one", 0.0)
    assert "another bridge" in admitted(rules, "two", 9_999.0)


def test_another_instance_is_taken_ten_seconds_after_the_bound_one_has_gone(rules: Admissions) -> None:
    admitted(rules, "one", 0.0)
    rules.instance_gone("one", 100.0)
    assert admitted(rules, "two", 109.9)
    assert not admitted(rules, "two", 110.0)
    assert admitted(rules, "one", 110.1)


def test_an_instance_with_a_second_connection_has_not_gone(rules: Admissions) -> None:
    admitted(rules, "one", 0.0)
    admitted(rules, "one", 5.0)
    rules.instance_gone("one", 6.0)
    assert admitted(rules, "two", 50.0)
    rules.instance_gone("one", 60.0)
    assert not admitted(rules, "two", 70.0)


def test_the_late_end_of_a_replaced_instance_changes_nothing(rules: Admissions) -> None:
    admitted(rules, "one", 0.0)
    rules.instance_gone("one", 0.0)
    admitted(rules, "two", 10.0)
    rules.instance_gone("one", 11.0)
    rules.instance_gone("nobody", 11.0)
    assert admitted(rules, "three", 99.0)


def test_a_return_within_the_ten_seconds_starts_them_anew(rules: Admissions) -> None:
    admitted(rules, "one", 0.0)
    rules.instance_gone("one", 1.0)
    admitted(rules, "one", 9.0)
    rules.instance_gone("one", 10.0)
    assert admitted(rules, "two", 19.0)


def test_a_refused_instance_is_told_how_long_the_place_stays_kept(rules: Admissions) -> None:
    admitted(rules, "one", 0.0)
    assert rules.admit("launch-acc-1", None, "pullcept-room", "two", 1.0).wait == 0
    rules.instance_gone("one", 2.0)
    assert rules.admit("launch-acc-1", None, "pullcept-room", "two", 5.0).wait == 7.0
    assert rules.admit("launch-acc-1", None, "other", "two", 5.0).wait == 0


def test_an_instance_that_only_asked_what_there_is_leaves_the_place_free(rules: Admissions) -> None:
    admitted(rules, "probe", 0.0)
    rules.unbind("launch-acc-1", "probe")
    rules.instance_gone("probe", 0.1)
    assert rules.admit("launch-acc-1", None, "pullcept-room", "real", 0.2).launch is not None
    rules.unbind("launch-acc-1", "probe")
    assert rules.admit("launch-acc-1", None, "pullcept-room", "third", 0.3).launch is None


def test_an_ended_launch_admits_nobody_and_is_still_known(rules: Admissions) -> None:
    admitted(rules, "one", 0.0)
    rules.end(SEAT, 1)
    assert "ended" in admitted(rules, "one", 1.0)
    assert rules.find("launch-acc-1") == (launch(), True)
    assert rules.current(SEAT) is None


def test_the_end_of_an_older_generation_changes_nothing(rules: Admissions) -> None:
    rules.add(launch(2))
    rules.end(SEAT, 1)
    rules.end(Seat("other", "topic"), 2)
    assert rules.current(SEAT) == launch(2)
    assert rules.find("launch-acc-2") == (launch(2), False)
    assert rules.find("launch-acc-1") == (launch(1), True)
    assert rules.find("unknown") is None


def test_ended_launches_are_not_kept_without_end() -> None:
    rules = Admissions()
    for generation in range(KEPT_ENDED + 3):
        rules.add(launch(generation))
    assert rules.find("launch-acc-0") is None
    assert rules.find("launch-acc-2") is not None
    assert rules.current(SEAT) == launch(KEPT_ENDED + 2)


def test_a_rename_reaches_the_running_launches_of_the_account(rules: Admissions) -> None:
    elsewhere = Seat("acc", "other topic")
    rules.add(launch(7, elsewhere))
    rules.add(launch(1, Seat("b", "topic")))
    rules.end(elsewhere, 7)
    rules.rename("acc", "L", "Lin", 5)
    current = rules.current(SEAT)
    assert current is not None
    assert (current.name, current.full_name, current.hue) == ("L", "Lin", 5)
    assert rules.find("launch-acc-7") == (launch(7, elsewhere), True)
    assert rules.current(Seat("b", "topic")) == launch(1, Seat("b", "topic"))


def test_secrets_are_not_in_the_printed_form() -> None:
    assert "launch-acc-1" not in repr(launch())
    assert "control-acc-1" not in repr(launch())


def test_the_environment_names_the_room_and_the_secrets() -> None:
    values = room_environment(launch(unseen=True), "ws://127.0.0.1:5", "token")
    assert tuple(values) == ROOM_NAMES
    assert values["PULLCEPT_LAUNCH"] == "launch-acc-1"
    assert values["PULLCEPT_CONTROL"] == "control-acc-1"
    assert (values["PULLCEPT_ROOM_ID"], values["PULLCEPT_ACCOUNT_ID"]) == ("topic", "acc")
    assert (values["PULLCEPT_AGENT_HUE"], values["PULLCEPT_UNSEEN_HISTORY"]) == ("20", "1")


def test_what_says_nothing_is_left_out_of_the_environment() -> None:
    values = room_environment(launch(hue=None), "u", "t")
    assert "PULLCEPT_AGENT_HUE" not in values
    assert "PULLCEPT_UNSEEN_HISTORY" not in values


@pytest.mark.parametrize(
    ("executable", "script"),
    [
        ("/opt/Pull cept/python", "/w/日本 & co/pullcept.py"),
        (r"E:\Apps (x86)\Pull cept & Co\日本\pullcept.exe", None),
        (r"\\server\share\python.exe", r"C:\pullcept.py"),
        ("C:\\python.exe", "D:\\pullcept.py"),
    ],
)
def test_a_line_is_made_of_absolute_paths_as_they_are(executable: str, script: str | None) -> None:
    line = sidecar_line(executable, script)
    assert line.argv == (executable, *(["-I", "-S", script] if script else []), "sidecar")
    assert line.with_entry("room").args[-2:] == ("--entry", "room")
    assert statusline_line(executable, script).args[-1] == "statusline"


@pytest.mark.parametrize(
    ("executable", "script"), [("python", None), ("/p", "pullcept.py"), (r"E:x.exe", None), ("", None)]
)
def test_a_relative_path_makes_no_line(executable: str, script: str | None) -> None:
    with pytest.raises(LaunchLineError):
        sidecar_line(executable, script)


def test_only_the_light_roles_start_without_packages() -> None:
    assert role_line("demo-agent", "/p", "/s.py").argv == ("/p", "/s.py", "demo-agent")
    assert statusline_line("/p", "/s.py").argv == ("/p", "-I", "-S", "/s.py", "statusline")


def test_a_line_adds_arguments_without_changing_itself() -> None:
    line = SidecarLine("/p", ("x",))
    assert line.with_args("a", "b") == SidecarLine("/p", ("x", "a", "b"))
    assert line.args == ("x",)


def test_a_line_given_to_a_shell_keeps_its_words() -> None:
    line = SidecarLine("/srv/お部屋 & 'x' $HOME/python", ("-I", "a b"))
    assert shlex.split(shell_text(line, "linux")) == list(line.argv)
    assert shell_text(SidecarLine("C:\\P F\\x.exe", ("statusline",)), "win32") == '"C:/P F/x.exe" "statusline"'
