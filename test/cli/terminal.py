"""Runs a command in a terminal and types answers, each when its prompt has come: terminal.py PROMPT ANSWER ... -- ARGV."""

import json
import os
import pty
import select
import signal
import sys

at = sys.argv.index("--")
words, argv = sys.argv[1:at], sys.argv[at + 1 :]
answers = list(zip(words[::2], words[1::2]))
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(argv[0], argv)
shown = b""
while select.select([terminal], [], [], 20)[0]:
    try:
        shown += os.read(terminal, 4096)
    except OSError:
        break
    if answers and answers[0][0].encode() in shown:
        os.write(terminal, answers.pop(0)[1].encode())
else:
    os.kill(pid, signal.SIGKILL)
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print(json.dumps({"code": code, "shown": shown.decode()}))
