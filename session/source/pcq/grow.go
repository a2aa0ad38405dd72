package pcq

import (
	"fmt"

	"perfdeck/session/wire/rpc"
)

// What is asked for at most. A host may name any size as needed; none of these
// is reached by one that means well.
const (
	maxRegistration = 4 << 20  // bytes of one answer: about 80,000 counters
	maxInfo         = 16 << 20 // bytes
	maxData         = 64 << 20 // bytes
	maxGrowth       = 12       // calls until an answer fits
)

// grow calls with a larger buffer until the answer fits. Between two calls the
// answer may have grown, so there is slack; a host that goes on asking for more
// is refused. size is where the next round starts.
func grow(size *uint32, limit uint32, call func(inSize uint32) (rpc.Array, error)) (rpc.Array, error) {
	for range maxGrowth {
		a, err := call(*size)
		if err != nil || a.Code != rpc.CodeNotEnoughMemory {
			return a, err
		}
		if *size >= limit || a.Needed > limit {
			return a, &sizeError{needed: a.Needed, limit: limit}
		}
		// At least doubled: a needed size that is too small must not loop.
		next := max(uint64(a.Needed)+uint64(a.Needed)/8, 2*uint64(*size))
		*size = uint32(min(next, uint64(limit)))
	}
	return rpc.Array{}, &sizeError{limit: limit}
}

// sizeError tells of an answer that is larger than any that is meant well.
type sizeError struct{ needed, limit uint32 }

func (e *sizeError) Error() string {
	if e.needed == 0 {
		return "the host goes on asking for larger buffers"
	}
	return fmt.Sprintf("the answer needs %d bytes, more than the %d that are taken", e.needed, e.limit)
}
