# catches_signal PROGRAM PROCESS NUMBER: whether the process already runs the program, and catches the signal. Before
# exec it is a shell, which catches signals for its own trap.
catches_signal() {
  [ "$(readlink "/proc/$2/exe")" = "$1" ] &&
    (($((0x$(awk '/SigCgt/ { print $2 }' "/proc/$2/status"))) & 1 << ($3 - 1)))
}
