"""Ends the sessions of an app that was killed (POSIX).

When the app dies, the system closes its terminals and most programs end with the hang-up. Some ignore it. The
guard is a shell of a few hundred kilobytes in a session of its own: it holds the read end of a pipe and a list of
sessions; the pipe ends when the app does, however it died, and the guard ends what is left. (A death signal set in
the child would reach the CLI alone, not what the CLI started.)
"""

import logging
import os
import subprocess
import sys

assert sys.platform != "win32"

log = logging.getLogger(__name__)

_SCRIPT = r"""
trap '' HUP INT TERM QUIT TSTP
sids=' '
while read -r line; do
  case $line in
    +*) sids="$sids${line#+} " ;;
    -*) kept=' '
        for s in $sids; do [ "$s" = "${line#-}" ] || kept="$kept$s "; done
        sids=$kept ;;
  esac
done
[ "$sids" = ' ' ] && exit 0
members() {
  if [ -r /proc/self/stat ]; then
    for f in /proc/[0-9]*/stat; do
      { read -r l < "$f"; } 2>/dev/null || continue
      set -- ${l##*) }
      case $sids in *" $4 "*) p=${f#/proc/}; echo "${p%/stat}" ;; esac
    done
  else
    ps -A -o pid=,pgid= | while read -r p g; do case $sids in *" $g "*) echo "$p" ;; esac; done
  fi
}
strike() { for p in $(members); do kill -"$1" "$p" 2>/dev/null; kill -CONT "$p" 2>/dev/null; done; }
strike HUP; sleep 1; strike TERM; sleep 1; strike KILL
"""


class Guard:
    """One guard process for all terminals. Without a shell to run it there is none, and the log says so."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._failed = False

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    def watch(self, session: int) -> None:
        """Have this session ended when the app dies."""
        if self._process is None and not self._failed:
            self._process = self._start()
        self._say(f"+{session}\n")

    def forget(self, session: int) -> None:
        """The session is over; its number may soon belong to somebody else."""
        self._say(f"-{session}\n")

    def close(self) -> None:
        """End the guard; sessions still on its list are ended by it."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _start(self) -> subprocess.Popen[bytes] | None:
        try:
            return subprocess.Popen(
                ["/bin/sh", "-c", _SCRIPT],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={"PATH": os.defpath},
                start_new_session=True,
                bufsize=0,
            )
        except OSError:
            self._failed = True
            log.exception("no guard: a killed app may leave programs that ignore the hang-up")
            return None

    def _say(self, line: str) -> None:
        if self._process is None or self._process.stdin is None:
            return
        try:
            self._process.stdin.write(line.encode("ascii"))
        except OSError:
            log.warning("the guard is gone; programs that ignore the hang-up would outlive a killed app")
            self._process.stdin.close()
            self._process.wait()
            self._process = None
