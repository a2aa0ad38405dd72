// Package health is what a program that goes on tells of itself to who asks over HTTP: metrics of
// Prometheus, and whether it does what it is for.
package health

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"perfdeck/session/engine/prom"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
)

// Path is where Prometheus' own programs answer whether they are well.
const Path = "/-/healthy"

// Answer says whether all is well: 200, or 503 and why not.
func Answer(well func() error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if err := well(); err != nil {
			http.Error(w, "perfdeck: "+printable.Text(err.Error()), http.StatusServiceUnavailable)
			return
		}
		_, _ = fmt.Fprintln(w, "perfdeck is healthy") // who asked is gone else
	})
}

// Fact is a number that a program tells of itself, by the name of its metric.
type Fact struct {
	prom.Metric

	Value float64
}

// Self is a program that tells of itself.
type Self struct {
	Command, Version string
	Facts            func() []Fact
	Well             func() error // why it does not do what it is for; nil: it does

	since  time.Time
	errors atomic.Int64
}

// New makes one that began now.
func New(command, version string) *Self {
	return &Self{Command: command, Version: version, since: time.Now()}
}

// Failed counts something that went wrong and was told.
func (s *Self) Failed() { s.errors.Add(1) }

// Handler answers for it.
func (s *Self) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET "+Path, Answer(s.Well))
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		var e prom.Exposition
		e.Add(&prom.Metric{Name: "perfdeck_build_info", Help: "Version of perfdeck."}, []byte(`{version="`+prom.EscapeLabel(s.Version)+`",command="`+s.Command+`"`), []byte("1"), 0)
		AddProcess(&e, s.since)
		facts := append(s.Facts(), Fact{prom.Metric{Name: "perfdeck_errors_total", Grows: true, Help: "What went wrong and was told."}, float64(s.errors.Load())})
		for i := range facts {
			e.Add(&facts[i].Metric, []byte("{"), prom.AppendFloat(nil, facts[i].Value), 0)
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write(e.Append(nil))
	})
	return mux
}

// Gauge is a number that goes up and down. Any goroutine may use it.
type Gauge struct{ n atomic.Int64 }

// Set changes it.
func (g *Gauge) Set(n int64) { g.n.Store(n) }

// Get reads it.
func (g *Gauge) Get() int64 { return g.n.Load() }

// Beat is when something was last done that is to be done again and again. Any goroutine may use it.
type Beat struct{ last atomic.Int64 }

// Now notes that it is done.
func (b *Beat) Now() { b.last.Store(time.Now().UnixNano()) }

// mostMissed is how many times it may be missed.
const mostMissed = 3

// Check is an error where it was not done for three times of every, or 15 s. what is done, as "judged".
func (b *Beat) Check(what string, every time.Duration) error {
	most := max(mostMissed*every, 15*time.Second)
	switch ago := time.Since(time.Unix(0, b.last.Load())); {
	case b.last.Load() == 0:
		return fmt.Errorf("nothing was %s yet", what)
	case ago > most:
		return fmt.Errorf("nothing was %s for %s", what, english.Span(ago))
	}
	return nil
}
