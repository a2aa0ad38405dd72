package logs

import "golang.org/x/sys/windows"

// errNoSpace is what the system says of a full disk.
const errNoSpace = windows.ERROR_DISK_FULL
