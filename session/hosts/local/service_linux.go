package local

import (
	"context"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/service"
)

// services reads Service, beside: systemd may take its time.
type services struct {
	tick   *tick
	reader *service.Reader
	isNew  bool
}

func newServices(t *tick) collector {
	o := t.options
	return &services{tick: t, reader: service.NewReader(service.Options{Dial: service.Systemd{Root: o.Run}.Dial, Go: o.Go, Now: o.Monotonic})}
}

func (s *services) choose(w *session.Want) { s.reader.Choose(w) }

func (s *services) collect(b *session.SetBatch, clocks cooker.Clocks) {
	s.isNew = s.reader.Collect(context.Background(), b, clocks) || s.tick.again && s.isNew
}

func (s *services) hasNews() bool { return s.isNew }

func (s *services) close() { s.reader.Close() }
