package past

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/printable"
)

// EnginePrefix stands before the address of an engine that hosts are read out of.
const EnginePrefix = "prom+"

// Mark stands between hosts of an engine and a moment of theirs, and For between that and
// how long is meant: ENGINE[#HOST][@FROM[/FOR]].
const (
	Mark = "@"
	For  = "/"
)

// Span is a part of the past of hosts of an engine. It stands where a recording may, as
// ENGINE[#HOST][@FROM[/FOR]].
type Span struct {
	Hosts    string // the engine, or a host of it
	From, To time.Time
}

// usualFor is how long a span is where nothing is said.
const usualFor = time.Hour

// forms are the forms of the moments, for messages.
const forms = `write prom+http://ENGINE#HOST@FROM/FOR, as @-2h, @03:12/30m, "@yesterday 03:12/2h" or @2026-03-02T03:12/1h; without a moment it is the last hour`

// IsSpan tells a part of the past of an engine from a file.
func IsSpan(name string) bool { return strings.HasPrefix(name, EnginePrefix) }

// Title is a recording by its name, in short: a file without its folder, a part of the past whole.
func Title(name string) string {
	if IsSpan(name) {
		return name
	}
	return filepath.Base(name)
}

// Within puts a moment and a length behind those of names that are of engines, as isPast tells, and say
// none. used tells that it did.
func Within(names []string, isPast func(string) bool, at, length string) (out []string, used bool) {
	out = slices.Clone(names)
	if at == "" && length == "" {
		return out, false
	}
	for i, name := range out {
		if !isPast(name) || strings.Contains(name, Mark) {
			continue
		}
		used = true
		out[i] = name + Mark + cmp.Or(at, "-"+cmp.Or(length, "1h"))
		if length != "" {
			out[i] += For + length
		}
	}
	return out, used
}

// ParseSpan reads a span. One that is no time, or yet to come, is a session.UsageError.
func ParseSpan(name string, now time.Time) (Span, error) {
	hosts, span, said := strings.Cut(name, Mark)
	if !said {
		return Span{hosts, now.Add(-usualFor), now}, nil
	}
	var from, to time.Time
	var err error
	begin, length, long := strings.Cut(span, For)
	if from, err = session.ParseMoment(begin, now); err == nil {
		to = from.Add(usualFor)
		if strings.HasPrefix(begin, "-") {
			to = now
		}
		if long {
			var d time.Duration
			if d, err = time.ParseDuration(length); err == nil && d <= 0 {
				err = errors.New("it is no time")
			}
			to = from.Add(d)
		}
	}
	if to.After(now) {
		to = now
	}
	if err == nil && !from.Before(to) {
		err = errors.New("it is yet to come")
	}
	if err != nil {
		return Span{}, failure.Usage(fmt.Errorf("%s: %q: %w", printable.Text(hosts), span, err), forms)
	}
	return Span{hosts, from, to}, nil
}

// String is how a span is written.
func (s Span) String() string {
	return s.Hosts + Mark + s.From.Format("2006-01-02T15:04:05") + For + s.To.Sub(s.From).Round(time.Second).String()
}

// Share is how far a moment is in a span.
func (s Span) Share(at time.Time) float64 { return float64(at.Sub(s.From)) / float64(s.To.Sub(s.From)) }

// Without is the error of a span of which the engine has no sample.
func (s Span) Without() error {
	return failure.WithHint(fmt.Errorf("%s: it has no sample from %s to %s", printable.Text(s.Hosts), s.From.Format(time.DateTime), s.To.Format(time.DateTime)), forms)
}

// File is the name of a recording of it, as it is told: the engine, the host, the moment.
func (s Span) File() string {
	at, host, _ := strings.Cut(strings.TrimPrefix(s.Hosts, EnginePrefix), "#")
	if u, err := url.Parse(at); err == nil && u.Host != "" {
		at = u.Host
	}
	name := strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, strings.TrimSpace(at+" "+host))
	return name + s.From.Format(" 2006-01-02 15.04") + ".db"
}
