package output

import (
	"io"
	"time"
)

// Patient writes to what may take nothing for a while, as a file whose disk is full, and
// goes on where it stopped.
type Patient struct {
	out   io.Writer
	stuck func(error) (waits bool)
	ended chan struct{}
}

// NewPatient writes to out. stuck hears, once until something can be written again, why
// nothing can: it tells whether that is waited for.
func NewPatient(out io.Writer, stuck func(error) (waits bool)) *Patient {
	return &Patient{out: out, stuck: stuck, ended: make(chan struct{})}
}

// againEvery is how often it is tried again.
const againEvery = time.Second

// Write returns when all is written, or will not be.
func (p *Patient) Write(b []byte) (n int, err error) {
	for told := false; ; told = true {
		some, err := p.out.Write(b[n:])
		if n += some; err == nil {
			return n, nil
		}
		if !told && !p.stuck(err) {
			return n, err
		}
		select {
		case <-time.After(againEvery):
		case <-p.ended:
			return n, err
		}
	}
}

// End has it wait no longer.
func (p *Patient) End() { close(p.ended) }
