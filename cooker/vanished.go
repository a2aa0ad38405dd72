package cooker

// MaxVanished is how many vanished instances an aggregate with history
// remembers; the one that vanished first is forgotten first.
const MaxVanished = 1000

// Vanished keeps the last values of instances that went, for the countersets
// of type "global aggregate with history". K identifies an instance. The zero
// Vanished is ready.
type Vanished[K comparable] struct {
	last  map[K]Value
	order []K // oldest first
}

// Keep remembers the last value of an instance that went. A value that does
// not count is not worth remembering.
func (h *Vanished[K]) Keep(instance K, last Value) {
	if !last.Valid() {
		return
	}
	if h.last == nil {
		h.last = make(map[K]Value)
	}
	h.Return(instance)
	if len(h.order) >= MaxVanished {
		delete(h.last, h.order[0])
		h.order = h.order[1:]
	}
	h.last[instance] = last
	h.order = append(h.order, instance)
}

// Return forgets an instance that came back.
func (h *Vanished[K]) Return(instance K) {
	if _, kept := h.last[instance]; !kept {
		return
	}
	delete(h.last, instance)
	for i, key := range h.order {
		if key == instance {
			h.order = append(h.order[:i], h.order[i+1:]...)
			return
		}
	}
}

// Len is the number of instances remembered.
func (h *Vanished[K]) Len() int { return len(h.order) }

// AddTo gives the remembered values to an aggregate.
func (h *Vanished[K]) AddTo(a *Aggregator) {
	for _, instance := range h.order {
		a.Add(h.last[instance])
	}
}

// Ended is what an instance that is gone goes on to give to an aggregate with
// history: its count stays where it was, so what needs one sample keeps its last
// value, and what is made of the growth of a count is 0.
func (t CounterType) Ended(last Value) Value {
	if info, _ := t.Info(); info.Samples == 2 {
		return FloatValue(0)
	}
	return last
}
