package rpc

// Heard hears what a host answers to binds and to calls, deciphered: nothing of a log-on.
type Heard struct {
	Bound func(Bound)
	// Called gets a call that was answered by a stub, or of Do by a fault, too. It must copy the stub.
	Called func(k *Outgoing, stub []byte, fault error)
}

// Bound is an answer to a bind.
type Bound struct {
	SideBySide bool // the host takes calls side by side on this connection
	Answers    []BindAnswer
}

// BindAnswer is the answer to an interface, C706 12.6.4.4.
type BindAnswer struct {
	Interface      Interface
	Result, Reason uint16
}

// bound tells of an answer to a bind.
func (h *Heard) bound(flags uint8, wanted []Interface, ack *bindAck) {
	if h == nil || len(wanted) != len(ack.results) {
		return
	}
	b := Bound{SideBySide: flags&flagMultiplex != 0}
	for i, r := range ack.results {
		b.Answers = append(b.Answers, BindAnswer{wanted[i], r.result, r.reason})
	}
	h.Bound(b)
}

// called tells of a call that was answered.
func (h *Heard) called(k *Outgoing, stub []byte, fault error) {
	if h != nil {
		h.Called(k, stub, fault)
	}
}
