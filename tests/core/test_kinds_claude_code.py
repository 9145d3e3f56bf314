"""Launch lines of Claude Code."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pullcept.core.activity import ACTIVITY_EVENTS
from pullcept.core.kinds import LaunchLine, LaunchRefused, kind_for
from pullcept.core.launch import SidecarLine
from tests.core.kinds_support import NEW_ID, ODD_FOLDER, OLD_ID, hard_words, request_for

CLAUDE = kind_for("claude_code")


def line_for(*args: str, **changes: Any) -> LaunchLine:
    return CLAUDE.launch_line(request_for("claude_code", *args, **changes))


def value_of(line: LaunchLine, option: str) -> str:
    return line.argv[line.argv.index(option) + 1]


def settings_of(line: LaunchLine) -> dict[str, Any]:
    assert line.argv.count("--settings") == 1
    return dict(json.loads(value_of(line, "--settings")))


def test_a_fresh_session_gets_its_registration_its_id_and_its_manners() -> None:
    line = line_for()
    assert line.argv[0] == "/opt/c l i/tool"
    assert value_of(line, "--mcp-config") == f"{ODD_FOLDER}/launch/t-1-a-1.json"
    assert value_of(line, "--session-id") == NEW_ID == line.conversation_id
    assert "say_to_room" in value_of(line, "--append-system-prompt")
    assert not line.resumed


def test_the_registration_file_names_the_sidecar_with_its_entry_and_no_secret() -> None:
    (path, text), *others = line_for().files
    assert others == []
    assert path == f"{ODD_FOLDER}/launch/t-1-a-1.json"
    assert json.loads(text) == {
        "mcpServers": {
            "pullcept-room": {
                "type": "stdio",
                "command": f"{ODD_FOLDER}/python",
                "args": [f"{ODD_FOLDER}/pullcept.py", "sidecar", "--entry", "pullcept-room"],
                "alwaysLoad": True,
            }
        }
    }


def test_a_path_that_the_cli_would_expand_is_refused() -> None:
    with pytest.raises(LaunchRefused, match=r"\$\{"):
        line_for(sidecar=SidecarLine("/opt/${HOME}/python", ("sidecar",)))


def test_the_tools_of_the_room_are_allowed_and_its_attachments_may_be_read() -> None:
    permissions = settings_of(line_for())["permissions"]
    assert "mcp__pullcept-room__say_to_room" in permissions["allow"]
    assert "mcp__pullcept-room__read_room_history" in permissions["allow"]
    assert permissions["additionalDirectories"] == [f"{ODD_FOLDER}/attachments/t-1"]


def test_a_character_becomes_the_output_style() -> None:
    assert settings_of(line_for(character="俳人"))["outputStyle"] == "俳人"
    assert "outputStyle" not in settings_of(line_for())


def test_resuming_names_the_recorded_conversation_and_no_new_one() -> None:
    line = line_for("--model", "opus", resume_id=OLD_ID)
    assert value_of(line, "--resume") == OLD_ID == line.conversation_id
    assert "--session-id" not in line.argv
    assert line.resumed


@pytest.mark.parametrize("args", [["--session-id", OLD_ID], [f"--session-id={OLD_ID}"]])
def test_a_given_session_id_is_kept_and_recorded(args: list[str]) -> None:
    line = line_for(*args)
    assert line.conversation_id == OLD_ID
    assert NEW_ID not in line.argv


@pytest.mark.parametrize(
    ("args", "known"),
    [
        (["--resume", OLD_ID], OLD_ID),
        (["-r", OLD_ID], OLD_ID),
        (["--continue"], None),
        (["-c"], None),
        (["-r"], None),
        (["-r", "a name"], None),
    ],
)
def test_a_resume_option_of_the_person_decides_and_is_said(args: list[str], known: str | None) -> None:
    for line in (line_for(*args), line_for(*args, resume_id="something-else")):
        assert line.conversation_id == known
        assert "--session-id" not in line.argv
        assert "something-else" not in line.argv
        assert not line.resumed
        assert args[0] in line.notes[0]


def test_a_forked_resume_gets_an_id_of_its_own() -> None:
    line = line_for("--fork-session", resume_id=OLD_ID)
    assert value_of(line, "--resume") == OLD_ID
    assert value_of(line, "--session-id") == NEW_ID == line.conversation_id
    assert not line.resumed
    assert line_for("--fork-session", "--session-id", OLD_ID, resume_id="x").conversation_id == OLD_ID


@pytest.mark.parametrize(
    ("args", "named"),
    [
        (["-p"], "-p"),
        (["--print", "hello"], "--print"),
        (["--output-format=json"], "--output-format"),
        (["--input-format", "stream-json"], "--input-format"),
        (["--verbose", "-cp"], "-p"),
        (["--bg"], "--bg"),
        (["mcp", "list"], "mcp"),
        (["--model", "opus", "doctor"], "doctor"),
    ],
)
def test_what_needs_no_terminal_is_refused_by_name(args: list[str], named: str) -> None:
    with pytest.raises(LaunchRefused) as refused:
        line_for(*args)
    assert named in str(refused.value)
    assert "room" in str(refused.value)


@pytest.mark.parametrize("resuming", [["--resume", OLD_ID], ["--continue"], ["-r", OLD_ID], ["-c"]])
def test_a_session_id_beside_a_resume_option_is_refused_naming_both(resuming: list[str]) -> None:
    with pytest.raises(LaunchRefused) as refused:
        line_for("--session-id", NEW_ID, *resuming)
    assert "--session-id" in str(refused.value)
    assert resuming[0] in str(refused.value)


def test_a_session_id_of_the_person_beside_the_rooms_resume_is_refused_naming_both() -> None:
    with pytest.raises(LaunchRefused) as refused:
        line_for("--session-id", NEW_ID, resume_id=OLD_ID)
    assert f"--session-id {NEW_ID}" in str(refused.value)
    assert f"--resume {OLD_ID}" in str(refused.value)


@pytest.mark.parametrize(
    "args",
    [
        ["--append-system-prompt", "-p"],
        ["--model", "--print"],
        ["--", "-p"],
        ["--name", "--settings"],
        ["say --print twice"],
        ["-n-p"],
        ["-dp"],
        ["--add-dir", "/a", "mcp"],
        ["--allowedTools", "-p"],
        ["--", "mcp"],
    ],
)
def test_a_value_that_looks_like_an_option_is_none(args: list[str]) -> None:
    assert list(line_for(*args).argv[-len(args) :]) == args


@given(st.lists(hard_words, max_size=4))
def test_the_words_of_the_person_stay_last_and_untouched(free: list[str]) -> None:
    args = ["--add-dir", "/a", "/b", "--", *free]
    line = line_for(*args)
    assert list(line.argv[-len(args) :]) == args


@pytest.mark.parametrize("flag", ["--append-system-prompt", "--append-system-prompt-file"])
def test_an_appended_system_prompt_of_the_person_replaces_ours(flag: str) -> None:
    line = line_for(flag, "theirs")
    assert [word for word in line.argv if word.startswith("--append-system-prompt")] == [flag]


def test_inline_settings_of_the_person_are_merged_and_win() -> None:
    theirs = {"permissions": {"allow": ["Bash(ls)"], "defaultMode": "plan"}, "outputStyle": "plain", "model": "opus"}
    line = line_for("--settings", json.dumps(theirs), "hello", character="poet")
    settings = settings_of(line)
    assert settings["permissions"]["allow"][0] == "mcp__pullcept-room__say_to_room"
    assert settings["permissions"]["allow"][-1] == "Bash(ls)"
    assert settings["permissions"]["defaultMode"] == "plan"
    assert settings["outputStyle"] == "plain"
    assert settings["model"] == "opus"
    assert line.notes == ("your settings replace the room's outputStyle",)
    assert line.argv[-1] == "hello"


def test_settings_of_a_file_are_merged_from_the_text_given() -> None:
    request = request_for("claude_code", "--settings", "my settings.json")
    assert CLAUDE.settings_file(request.account) == "my settings.json"
    line = line_for("--settings", "my settings.json", settings_text='\ufeff{"model": "haiku"}')
    assert settings_of(line)["model"] == "haiku"


def test_inline_settings_name_no_file() -> None:
    assert CLAUDE.settings_file(request_for("claude_code", '--settings={"a":1}').account) is None
    assert CLAUDE.settings_file(request_for("claude_code").account) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a":\n nope}', "line 2"),
        ("[1]", "not a JSON object"),
        ("[" * 100_000, "not JSON"),
        ('{"a":' + "9" * 5000 + "}", "not JSON"),
        ("", "line 1"),
    ],
)
def test_settings_that_cannot_be_read_are_refused_with_their_place(text: str, said: str) -> None:
    with pytest.raises(LaunchRefused) as refused:
        line_for("--settings", "mine.json", settings_text=text)
    assert "mine.json" in str(refused.value)
    assert said in str(refused.value)


def test_a_settings_file_that_could_not_be_read_is_refused_by_name() -> None:
    with pytest.raises(LaunchRefused, match=r"mine\.json"):
        line_for("--settings", "mine.json")


@pytest.mark.parametrize(
    "rule", ["mcp__pullcept-room", "mcp__pullcept-room__*", "mcp__*", "mcp__pullcept-room__say_to_room"]
)
def test_a_rule_of_the_person_that_switches_a_tool_off_is_said(rule: str) -> None:
    line = line_for("--settings", json.dumps({"permissions": {"deny": [rule, "Bash"]}}))
    assert line.notes == (f"your settings deny the room's tool {rule}",)


@pytest.mark.parametrize(
    "theirs", [{"permissions": None}, {"permissions": {"deny": "all"}}, {"permissions": {"allow": 1}}]
)
def test_settings_of_the_wrong_shape_do_not_break_the_line(theirs: dict[str, Any]) -> None:
    assert settings_of(line_for("--settings", json.dumps(theirs))).keys() == {"permissions"}


@given(hard_words.filter(bool), hard_words, st.lists(hard_words, max_size=3))
def test_every_word_survives_in_the_json(name: str, folder: str, rules: list[str]) -> None:
    sidecar = SidecarLine(f"/{folder}".replace("${", ""), ("sidecar",))
    theirs = json.dumps({"permissions": {"allow": rules}, name: folder})
    line = line_for("--settings", theirs, sidecar=sidecar, attachments_dir=folder)
    registered = json.loads(line.files[0][1])["mcpServers"]["pullcept-room"]
    assert registered["command"] == sidecar.command
    assert set(rules) <= set(settings_of(line)["permissions"]["allow"])
    assert settings_of(line)["permissions"]["additionalDirectories"] == [folder]


def test_transcripts_are_looked_up_by_id_below_the_accounts_config_folder() -> None:
    globs = CLAUDE.transcript_globs(OLD_ID, {"CLAUDE_CONFIG_DIR": "/c"}, "/home/h")
    assert globs == (("/c", f"projects/*/{OLD_ID}.jsonl"),)
    assert CLAUDE.transcript_globs(OLD_ID, {"CLAUDE_CONFIG_DIR": ""}, "/home/h")[0][0] == "/home/h/.claude"


REPORTING = {"hooks_url": "http://127.0.0.1:4321", "status_command": "/p -I -S /s.py statusline"}


def test_every_event_is_reported_to_the_seat_with_the_launch_secret_from_the_environment() -> None:
    hooks = settings_of(line_for(topic_id="t/日", **REPORTING))["hooks"]
    assert list(hooks) == list(ACTIVITY_EVENTS)
    assert hooks["Stop"] == [
        {
            "hooks": [
                {
                    "type": "http",
                    "url": "http://127.0.0.1:4321/hooks/activity/Stop/t%2F%E6%97%A5/a-1",
                    "timeout": 5,
                    "headers": {"Authorization": "Bearer ${PULLCEPT_LAUNCH}"},
                    "allowedEnvVars": ["PULLCEPT_LAUNCH"],
                }
            ]
        }
    ]
    assert hooks["PermissionRequest"][0]["hooks"][0]["timeout"] == 30


def test_the_status_line_is_ours_and_comes_every_few_seconds() -> None:
    assert settings_of(line_for(**REPORTING))["statusLine"] == {
        "type": "command",
        "command": "/p -I -S /s.py statusline",
        "padding": 0,
        "refreshInterval": 5,
    }


def test_without_a_listener_nothing_is_reported() -> None:
    assert not {"hooks", "statusLine"} & settings_of(line_for()).keys()


def test_hooks_of_the_person_run_beside_ours() -> None:
    theirs = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}], "PreCompact": []}}
    line = line_for("--settings", json.dumps(theirs), **REPORTING)
    hooks = settings_of(line)["hooks"]
    assert [hook["hooks"][0]["type"] for hook in hooks["Stop"]] == ["http", "command"]
    assert hooks["PreCompact"] == []
    assert (line.notes, line.blind) == ((), False)


@pytest.mark.parametrize("theirs", [{"disableAllHooks": True}, {"hooks": {"Stop": None}}, {"hooks": []}])
def test_settings_that_switch_the_hooks_off_make_the_session_blind_and_are_said(theirs: dict[str, Any]) -> None:
    line = line_for("--settings", json.dumps(theirs), **REPORTING)
    assert line.blind
    assert any("hooks" in note for note in line.notes)


def test_a_status_line_of_the_persons_options_is_theirs_and_said() -> None:
    theirs = {"statusLine": {"type": "command", "command": "mine"}}
    line = line_for("--settings", json.dumps(theirs), **REPORTING)
    assert settings_of(line)["statusLine"]["command"] == "mine"
    assert line.notes == ("your settings replace the room's statusLine.command",)
