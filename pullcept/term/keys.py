"""From a Tk key event to a key press as terminals know it. Tables and pure rules; the bytes come from the engine."""

from dataclasses import dataclass

from evp import Key, Mods

NO_MODS = Mods(0)


@dataclass(frozen=True, slots=True)
class KeyPress:
    """A key press. `text`: what the key types by itself, before Ctrl or Alt; None for keys that type nothing."""

    key: Key
    mods: Mods = NO_MODS
    text: str | None = None
    consumed: Mods = NO_MODS
    unshifted: str | None = None


_NAMED = {
    "Return": Key.ENTER,
    "KP_Enter": Key.NUMPAD_ENTER,
    "BackSpace": Key.BACKSPACE,
    "Tab": Key.TAB,
    "ISO_Left_Tab": Key.TAB,
    "KP_Tab": Key.TAB,
    "Escape": Key.ESCAPE,
    "Up": Key.ARROW_UP,
    "Down": Key.ARROW_DOWN,
    "Left": Key.ARROW_LEFT,
    "Right": Key.ARROW_RIGHT,
    "Home": Key.HOME,
    "End": Key.END,
    "Prior": Key.PAGE_UP,
    "Next": Key.PAGE_DOWN,
    "Insert": Key.INSERT,
    "Delete": Key.DELETE,
    "KP_Up": Key.NUMPAD_UP,
    "KP_Down": Key.NUMPAD_DOWN,
    "KP_Left": Key.NUMPAD_LEFT,
    "KP_Right": Key.NUMPAD_RIGHT,
    "KP_Home": Key.NUMPAD_HOME,
    "KP_End": Key.NUMPAD_END,
    "KP_Prior": Key.NUMPAD_PAGE_UP,
    "KP_Next": Key.NUMPAD_PAGE_DOWN,
    "KP_Insert": Key.NUMPAD_INSERT,
    "KP_Delete": Key.NUMPAD_DELETE,
    "KP_Begin": Key.NUMPAD_BEGIN,
    **{f"F{number}": Key[f"F{number}"] for number in range(1, 26)},
}

_PUNCTUATION = {
    "space": " ",
    "exclam": "!",
    "quotedbl": '"',
    "numbersign": "#",
    "dollar": "$",
    "percent": "%",
    "ampersand": "&",
    "apostrophe": "'",
    "quoteright": "'",
    "parenleft": "(",
    "parenright": ")",
    "asterisk": "*",
    "plus": "+",
    "comma": ",",
    "minus": "-",
    "period": ".",
    "slash": "/",
    "colon": ":",
    "semicolon": ";",
    "less": "<",
    "equal": "=",
    "greater": ">",
    "question": "?",
    "at": "@",
    "bracketleft": "[",
    "backslash": "\\",
    "bracketright": "]",
    "asciicircum": "^",
    "underscore": "_",
    "grave": "`",
    "quoteleft": "`",
    "braceleft": "{",
    "bar": "|",
    "braceright": "}",
    "asciitilde": "~",
}

_KEYPAD_TEXT = {
    **{f"KP_{digit}": (Key[f"NUMPAD_{digit}"], str(digit)) for digit in range(10)},
    "KP_Add": (Key.NUMPAD_ADD, "+"),
    "KP_Subtract": (Key.NUMPAD_SUBTRACT, "-"),
    "KP_Multiply": (Key.NUMPAD_MULTIPLY, "*"),
    "KP_Divide": (Key.NUMPAD_DIVIDE, "/"),
    "KP_Decimal": (Key.NUMPAD_DECIMAL, "."),
    "KP_Separator": (Key.NUMPAD_SEPARATOR, ","),
    "KP_Equal": (Key.NUMPAD_EQUAL, "="),
}

_PHYSICAL = {
    **{chr(ord("a") + number): Key(Key.A + number) for number in range(26)},
    **{str(digit): Key[f"DIGIT_{digit}"] for digit in range(10)},
    " ": Key.SPACE,
    "-": Key.MINUS,
    "=": Key.EQUAL,
    "[": Key.BRACKET_LEFT,
    "]": Key.BRACKET_RIGHT,
    "\\": Key.BACKSLASH,
    ";": Key.SEMICOLON,
    "'": Key.QUOTE,
    ",": Key.COMMA,
    ".": Key.PERIOD,
    "/": Key.SLASH,
    "`": Key.BACKQUOTE,
}

_SHIFT, _CONTROL = 0x1, 0x4
_OTHER_MODIFIERS = {
    "win32": {0x20000: Mods.ALT},
    "darwin": {0x8: Mods.SUPER, 0x10: Mods.ALT},
    "x11": {0x8: Mods.ALT, 0x40: Mods.SUPER},
}


def key_press(keysym: str, char: str, state: int, platform: str) -> KeyPress | None:
    """The key press of a Tk event (`event.keysym`, `event.char`, `event.state`), or None when it types nothing.

    `platform` as in `sys.platform`; the meaning of the modifier bits differs. What an input method commits comes
    as `char` of any length and is text.
    """
    mods = _modifiers(state, platform)
    if keysym in _NAMED:
        shift = Mods.SHIFT if keysym == "ISO_Left_Tab" else NO_MODS
        return KeyPress(_NAMED[keysym], mods | shift)
    if keysym in _KEYPAD_TEXT:
        key, text = _KEYPAD_TEXT[keysym]
        return KeyPress(key, mods, text=text)
    if _is_typed_text(char, mods, platform):
        return _text_press(char, mods & Mods.SHIFT)
    base = _PUNCTUATION.get(keysym, keysym)
    if len(base) == 1 and base.isprintable():
        return _text_press(base, mods)
    return KeyPress(Key.UNIDENTIFIED, NO_MODS, text=char) if char else None


def _modifiers(state: int, platform: str) -> Mods:
    mods = NO_MODS
    for bit, modifier in _OTHER_MODIFIERS.get(platform, _OTHER_MODIFIERS["x11"]).items():
        if state & bit:
            mods |= modifier
    if state & _SHIFT:
        mods |= Mods.SHIFT
    if state & _CONTROL:
        mods |= Mods.CTRL
    return mods


def _is_typed_text(char: str, mods: Mods, platform: str) -> bool:
    if not char or not char.isprintable():
        return False
    if mods & Mods.SUPER:
        return False
    if mods & Mods.CTRL:
        # AltGr on Windows is Ctrl and Alt at once, and its characters are text.
        return platform == "win32" and bool(mods & Mods.ALT)
    if mods & Mods.ALT:
        # Option on macOS types other characters: those are text. Plain ASCII with Alt is a command key.
        return platform == "darwin" and not char.isascii()
    return True


def _text_press(text: str, mods: Mods) -> KeyPress:
    consumed = mods & Mods.SHIFT
    # The lower case of one character may be two.
    unshifted = text.lower() if len(text) == len(text.lower()) == 1 else None
    key = _PHYSICAL.get(unshifted or "", Key.UNIDENTIFIED)
    return KeyPress(key, mods, text=text, consumed=consumed, unshifted=unshifted)
