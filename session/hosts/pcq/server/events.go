package server

import (
	"context"
	"time"

	"perfdeck/session"
	"perfdeck/session/system/guard"
	"perfdeck/session/wire/rpc"
	"perfdeck/session/wire/sidechannel"
)

// eventsRead is a reader of this host's events that the other side asks. It reads beside: counters
// do not wait for it.
type eventsRead struct {
	source session.EventSource
	from   session.EventsFrom
	ctx    context.Context //nolint:containedctx // of what is read beside; it ends with close
	end    context.CancelFunc

	done chan struct{} // of the reading under way; nil: there is none
	wait func()

	reader session.EventReader // nil: it did not begin
	events []session.HostEvent // that were read, and not told yet
	more   bool
	err    error
}

// ReadEvents implements rpc.SideChannel.
func (s *streamed) ReadEvents(_ context.Context, question []byte, inSize uint32) (rpc.Array, error) {
	q, err := sidechannel.ParseEventsQuestion(question)
	if err != nil {
		return rpc.Array{Code: rpc.CodeInvalidParameter}, nil
	}
	r := s.events[q.Reader]
	if r == nil && !q.End {
		source, ok := s.handler.source.(session.EventSource)
		if !ok || len(s.events) >= sidechannel.MaxReaders {
			return rpc.Array{Code: rpc.CodeInvalidParameter}, nil
		}
		r = &eventsRead{source: source, from: session.EventsFrom{Cursor: q.Cursor, Time: time.Now().Add(-q.Back)}}
		r.ctx, r.end = context.WithCancel(context.Background())
		if s.events == nil {
			s.events = map[uint32]*eventsRead{}
		}
		s.events[q.Reader] = r
	}
	var a sidechannel.EventsAnswer
	if r != nil && !q.End {
		a = r.answer(int(inSize))
	}
	if r != nil && (q.End || a.Failure != nil) {
		r.close()
		delete(s.events, q.Reader)
	}
	return answer(sidechannel.Encode(a), 1, inSize), nil
}

// answer is what there is, read now if that is soon.
func (r *eventsRead) answer(size int) (a sidechannel.EventsAnswer) {
	a.Now = time.Now()
	if r.done != nil || len(r.events) == 0 {
		if a.Pending = !r.read(); a.Pending {
			return a
		}
	}
	if r.err != nil {
		a.Failure = sidechannel.FailureOf(r.err)
		return a
	}
	a.Every, a.Cursor = r.reader.Every(), r.reader.Cursor()
	r.events = r.events[a.Fit(r.events, size):]
	if a.More = r.more; len(r.events) > 0 {
		a.More, a.Cursor = true, ""
	}
	return a
}

// read reads, and tells whether it is done: else it goes on beside.
func (r *eventsRead) read() bool {
	if r.done == nil {
		done := make(chan struct{})
		r.done = done
		r.wait = guard.Beside(func() {
			defer close(done)
			if r.reader == nil {
				if r.reader, r.err = r.source.Events(r.ctx, r.from); r.err != nil {
					return
				}
			}
			r.events, r.more, r.err = r.reader.Read(r.ctx)
		})
	}
	const soon = 5 * time.Millisecond
	timer := time.NewTimer(soon)
	defer timer.Stop()
	select {
	case <-r.done:
		r.wait()
		r.done = nil
		return true
	case <-timer.C:
		return false
	}
}

func (r *eventsRead) close() {
	r.end()
	if r.done != nil {
		r.wait()
	}
	if r.reader != nil {
		_ = r.reader.Close() // of reading only
	}
}
