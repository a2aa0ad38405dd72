package pla

import "fmt"

// Error says what the code means.
func (e *Error) Error() string { return fmt.Sprintf("%s %s: 0x%08X", e.Op, e.Name, e.Code) }
