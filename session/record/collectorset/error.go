package collectorset

import "fmt"

// OpError says what could not be done with a set.
type OpError struct {
	Op, Name string
	Code     uint32 // HRESULT; 0: none
	Err      error
	Advice   string // what can be done; empty: nothing is known
}

func (e *OpError) Error() string {
	if e.Code != 0 {
		return fmt.Sprintf("%s the set %s: %v (0x%08X)", e.Op, e.Name, e.Err, e.Code)
	}
	return fmt.Sprintf("%s the set %s: %v", e.Op, e.Name, e.Err)
}

// Hint says what can be done.
func (e *OpError) Hint() string { return e.Advice }

func (e *OpError) Unwrap() error { return e.Err }
