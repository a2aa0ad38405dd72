package sidechannel

import (
	"errors"
	"fmt"
	"time"

	"perfdeck/session"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/printable"
)

// Bounds of events.
const (
	MaxReaders = 4    // of one connection
	mostEvents = 1024 // of one answer
)

// EventsQuestion asks for what a reader of events has.
type EventsQuestion struct {
	Reader uint32        `json:"reader"`           // the asking side's number of it; one that is new begins
	Cursor string        `json:"cursor,omitempty"` // where it begins, as session.EventsFrom
	Back   time.Duration `json:"back,omitempty"`   // or how long ago: clocks may differ
	End    bool          `json:"end,omitempty"`    // it is not asked any more
}

// EventsAnswer is what a reader has.
type EventsAnswer struct {
	Events  []session.HostEvent `json:"events,omitempty"` // on the clock of the host
	Pending bool                `json:"pending,omitempty"`
	More    bool                `json:"more,omitempty"`
	Cursor  string              `json:"cursor,omitempty"`
	Every   time.Duration       `json:"every,omitempty"`
	Now     time.Time           `json:"now"` // of the host
	Failure *Failure            `json:"failure,omitempty"`
}

// Failure is why there is nothing.
type Failure struct {
	Text   string `json:"text"`
	Hint   string `json:"hint,omitempty"`
	Denied bool   `json:"denied,omitempty"`
	Lacks  bool   `json:"lacks,omitempty"` // there is nothing to be read, whoever asks
}

// FailureOf is an error, as the other side is told.
func FailureOf(err error) *Failure {
	return &Failure{Text: err.Error(), Hint: failure.Hint(err), Denied: errors.Is(err, session.ErrDenied), Lacks: errors.Is(err, errors.ErrUnsupported)}
}

// Err is the error on this side.
func (f *Failure) Err() error {
	var is error
	switch {
	case f.Denied:
		is = session.ErrDenied
	case f.Lacks:
		is = errors.ErrUnsupported
	}
	err := failure.Worded(printable.Line(f.Text, session.MostEventText), is)
	if f.Hint != "" {
		err = failure.WithHint(err, printable.Line(f.Hint, session.MostEventText))
	}
	return err
}

// ParseEventsQuestion reads an EventsQuestion.
func ParseEventsQuestion(b []byte) (*EventsQuestion, error) {
	q, err := parse[EventsQuestion]("question", b)
	if err == nil {
		q.Cursor = bounded(q.Cursor)
	}
	return q, err
}

// ParseEventsAnswer reads an EventsAnswer. What is in it is printable and bounded, whatever came.
func ParseEventsAnswer(b []byte) (*EventsAnswer, error) {
	a, err := parse[EventsAnswer]("answer", b)
	if err != nil {
		return nil, err
	}
	if len(a.Events) > mostEvents {
		return nil, fmt.Errorf("answer of %d events", len(a.Events))
	}
	a.Cursor = bounded(a.Cursor)
	good := a.Events[:0]
	for _, e := range a.Events {
		if e.Settle() {
			good = append(good, e)
		}
	}
	a.Events = good
	return a, nil
}

// Fit takes events until an answer of so many bytes is full: at least one. It returns how many.
func (a *EventsAnswer) Fit(events []session.HostEvent, size int) int {
	left := size - len(Encode(a))
	n := 0
	for ; n < min(len(events), mostEvents); n++ {
		if left -= len(Encode(&events[n])) + 1; left < 0 && n > 0 {
			break
		}
	}
	a.Events = events[:n]
	return n
}
