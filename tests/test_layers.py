"""The dependency rules of the house: who may import whom, and what the light roles may load."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted([*(ROOT / "pullcept").rglob("*.py"), *(ROOT / "sidecar").rglob("*.py")])

IMPURE = {
    "asyncio", "concurrent", "ctypes", "fcntl", "glob", "http", "io", "multiprocessing", "msvcrt", "os", "pathlib",
    "pty", "queue", "random", "secrets", "select", "selectors", "shutil", "signal", "socket", "socketserver", "ssl",
    "subprocess", "tempfile", "termios", "threading", "time", "tkinter", "tty", "urllib", "webbrowser", "winreg",
}  # fmt: skip
HALF_PURE = {"pathlib"}
PURE_PARTS = ("pathlib.Pure", "urllib.parse")
PURE_CALLS_FORBIDDEN = {"open", "print", "input", "now", "today", "utcnow", "uuid1", "uuid4", "getenv"}
ALLOWED_LAYERS = {
    "core": {"core"},
    "host": {"core", "host"},
    "pty": {"core", "pty"},
    "term": {"core", "term"},
    "store": {"core", "store"},
    "ui": {"core", "term", "ui"},
}
LIGHT_MODULES = ("sidecar.bridge", "sidecar.statusline")
HEAVY = {
    "aiohttp", "anyio", "asyncio", "concurrent", "email", "evp", "h11", "http", "markdown_it", "mcp", "mcp_types",
    "multiprocessing", "pydantic", "pydantic_core", "pygments", "ssl", "subprocess", "sv_ttk", "tkinter", "tkinterweb",
    "websockets",
}  # fmt: skip
LIGHT_PULLCEPT = {"pullcept", "pullcept.core"}
MODULE_LINES = 600


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(path: Path, *, at_import: bool = False) -> Iterator[str]:
    """Absolute names of the modules a file imports; with `at_import` only those loaded when it is imported."""
    package = module_name(path) if path.name == "__init__.py" else module_name(path).rpartition(".")[0]
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    for node in _statements(tree, into_functions=not at_import):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from _names_from(node, package)


def _statements(tree: ast.AST, *, into_functions: bool) -> Iterator[ast.AST]:
    """Every node that may run: none under `if TYPE_CHECKING`, and bodies of functions only when asked for."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) and not into_functions:
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        yield node
        yield from _statements(node, into_functions=into_functions)


def _names_from(node: ast.ImportFrom, package: str) -> Iterator[str]:
    base = node.module or ""
    if node.level:
        above = package.split(".")[: len(package.split(".")) - node.level + 1]
        base = ".".join([*above, base] if base else above)
    if base in HALF_PURE:
        yield from (f"{base}.{alias.name}" for alias in node.names)
        return
    yield base
    yield from (f"{base}.{alias.name}" for alias in node.names if file_of(f"{base}.{alias.name}") is not None)


def is_pure(name: str) -> bool:
    """A module of the standard library, or a part of one, that touches nothing outside."""
    if name.startswith(PURE_PARTS):
        return True
    return name.split(".")[0] in sys.stdlib_module_names and name.split(".")[0] not in IMPURE


def file_of(name: str) -> Path | None:
    path = ROOT.joinpath(*name.split("."))
    found = [each for each in (path / "__init__.py", path.with_suffix(".py")) if each.is_file() and "." in name]
    if not found and (path / "__init__.py").is_file():
        found = [path / "__init__.py"]
    return found[0] if found else None


def layer_of(module: str) -> str | None:
    parts = module.split(".")
    if parts[0] == "pullcept" and len(parts) > 1 and parts[1] in ALLOWED_LAYERS:
        return parts[1]
    return None


def in_layer(layer: str) -> list[Path]:
    return [path for path in SOURCES if layer_of(module_name(path)) == layer]


def shown(path: Path, name: str) -> str:
    return f"{path.relative_to(ROOT)} imports {name}"


def test_core_imports_only_the_pure_part_of_the_standard_library() -> None:
    wrong = [
        shown(path, name)
        for path in in_layer("core")
        for name in imports_of(path)
        if not name.startswith("pullcept") and not is_pure(name)
    ]
    assert wrong == []


def test_core_never_asks_for_the_time_an_id_or_a_file() -> None:
    wrong = []
    for path in in_layer("core"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                if called in PURE_CALLS_FORBIDDEN:
                    wrong.append(f"{path.relative_to(ROOT)}:{node.lineno} calls {called}")
    assert wrong == []


@pytest.mark.parametrize("layer", ALLOWED_LAYERS)
def test_a_layer_imports_only_the_layers_below_it(layer: str) -> None:
    wrong = [
        shown(path, name)
        for path in in_layer(layer)
        for name in imports_of(path)
        if (name.startswith("pullcept.") and layer_of(name) not in ALLOWED_LAYERS[layer])
        or name.split(".")[0] == "sidecar"
    ]
    assert wrong == []


def test_nobody_imports_the_app() -> None:
    allowed = {f"pullcept/{name}.py" for name in ("app", "roles", "console", "demo", "doctor", "round_trip")}
    wrong = [
        shown(path, name)
        for path in SOURCES
        for name in imports_of(path)
        if (name == "pullcept.app" or name.startswith("pullcept.app."))
        and path.relative_to(ROOT).as_posix() not in allowed
        and not path.relative_to(ROOT).as_posix().startswith("pullcept/bench/")
    ]
    assert wrong == []


def test_the_sidecar_imports_nothing_of_pullcept_but_core() -> None:
    wrong = [
        shown(path, name)
        for path in SOURCES
        if module_name(path).split(".")[0] == "sidecar"
        for name in imports_of(path)
        if name.startswith("pullcept.") and layer_of(name) != "core"
    ]
    assert wrong == []


def test_only_the_edges_read_the_environment() -> None:
    allowed = {f"pullcept/{name}.py" for name in ("app", "bootstrap", "develop", "doctor", "find_python", "roles")}
    allowed |= {"pullcept/round_trip.py", "pullcept/ui/texts.py"}
    wrong = []
    for path in SOURCES:
        place = path.relative_to(ROOT).as_posix()
        if place in allowed or place.startswith(("pullcept/bench/", "sidecar/")):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in {"environ", "environb", "getenv", "putenv"}:
                wrong.append(f"{place}:{node.lineno} reads the environment")
    assert wrong == []


def test_tk_belongs_to_the_window() -> None:
    wrong = [
        shown(path, name)
        for path in SOURCES
        if layer_of(module_name(path)) != "ui" and path.name != "doctor.py"
        for name in imports_of(path)
        if name.split(".")[0] in {"tkinter", "tkinterweb", "sv_ttk"}
    ]
    assert wrong == []


def test_nobody_starts_a_program_through_a_shell() -> None:
    wrong = []
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            called = ast.unparse(node.func)
            by_shell = any(keyword.arg == "shell" for keyword in node.keywords)
            if by_shell or called in {"os.system", "os.popen", "subprocess.getoutput", "eval", "exec"}:
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno} {called}")
    assert wrong == []


def loaded_by(module: str) -> dict[str, str]:
    """Every module that importing `module` loads from our sources, and what they import: name -> who asked."""
    seen: dict[str, str] = {}
    waiting = [(module, "")]
    while waiting:
        name, asked_by = waiting.pop()
        if name in seen:
            continue
        seen[name] = asked_by
        path = file_of(name)
        if path is not None:
            parents = [name.rsplit(".", count)[0] for count in range(1, name.count(".") + 1)]
            waiting += [(parent, name) for parent in parents]
            # Functions of a light role run on every start, so their late imports count too.
            waiting += [(each, name) for each in imports_of(path)]
    return seen


@pytest.mark.parametrize("module", LIGHT_MODULES)
def test_a_light_role_loads_nothing_heavy(module: str) -> None:
    wrong = [
        f"{asked_by} imports {name}"
        for name, asked_by in loaded_by(module).items()
        if name.split(".")[0] in HEAVY or (name.split(".")[0] == "pullcept" and not _is_light(name))
    ]
    assert wrong == []


def _is_light(name: str) -> bool:
    return name in LIGHT_PULLCEPT or name.startswith("pullcept.core")


@pytest.mark.parametrize("role", ["sidecar", "statusline"])
def test_choosing_a_light_role_imports_only_that_role(role: str) -> None:
    chooser = ROOT / "pullcept.py"
    names = set(imports_of(chooser, at_import=True))
    assert {name.split(".")[0] for name in names} <= {"sys", "os"}, (
        f"pullcept.py imports {names} before it knows {role}"
    )


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_module_is_split_before_it_grows_too_long(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MODULE_LINES


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import time", ["time"]),
        ("from pullcept.core import post", ["pullcept.core", "pullcept.core.post"]),
        ("from . import post", ["pullcept.core", "pullcept.core.post"]),
        ("from .post import Post", ["pullcept.core.post"]),
        ("def late():\n    import socket", ["socket"]),
    ],
)
def test_the_reader_of_imports_sees_every_form(source: str, expected: list[str]) -> None:
    tree = ast.parse(source)
    found: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [name for name in _names_from(node, "pullcept.core") if name in expected]
    assert found == expected
