import { existsSync } from "node:fs";

/** Text as one word of a shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** An interpreter at the same path inside and outside, for calls that no shell can make. */
const interpreter = "/usr/bin/python3";

export const withoutPython = (): string | null =>
  existsSync(interpreter) ? null : `there is no ${interpreter}`;

/** A Python program as a shell command, with the C library at hand. */
export const python = (program: string): string => `${interpreter} -c ${quoted(preamble + program)}`;

const preamble = `
import ctypes, errno, os, sys, time, socket, struct, signal
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *arguments):
    ctypes.set_errno(0)
    answer = getattr(libc, name)(*arguments)
    return answer, errno.errorcode.get(ctypes.get_errno(), "")
def system(number, *arguments):
    ctypes.set_errno(0)
    answer = libc.syscall(ctypes.c_long(number), *arguments)
    return answer, errno.errorcode.get(ctypes.get_errno(), "")
def tell(name, answer):
    print("%s: %s" % (name, "HAPPENED" if answer[0] >= 0 else "refused " + answer[1]), flush=True)
def attempt(name, work):
    try:
        said = work()
        print("%s: HAPPENED %s" % (name, "" if said is None else said), flush=True)
    except Exception as problem:
        print("%s: refused %s" % (name, problem), flush=True)
x86 = os.uname().machine == "x86_64"
`;

/**
 * Processes that exchange a folder for a link, over and over, as fast as the kernel lets them. The
 * exchange is one call: a reader sees the one or the other, never nothing.
 */
export const swapping = (marker: string, folder: string, link: string, copies = 8): string =>
  `${interpreter} -c ${quoted(`# ${marker}
import ctypes, os
for copy in range(${copies - 1}):
    if os.fork() == 0: break
libc = ctypes.CDLL(None)
one, other = ${JSON.stringify(folder)}.encode(), ${JSON.stringify(link)}.encode()
if libc.renameat2(-100, one, -100, other, 2) != 0:
    open("held", "w")
    os._exit(0)
open("swapped", "w")
while True: libc.renameat2(-100, one, -100, other, 2)
`)} </dev/null >/dev/null 2>&1`;

/**
 * Waits in a shell until they have begun, or until the folder has turned out to be held: a mount cannot be exchanged. On
 * a busy machine a program needs a while to start.
 */
export const untilSwapped =
  "n=0; while [ ! -e swapped ] && [ ! -e held ] && [ $n -lt 1000 ]; do sleep 0.02; n=$((n+1)); done; ";
