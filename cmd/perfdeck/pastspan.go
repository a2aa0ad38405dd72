package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/inventory"
	"perfdeck/session/record/past"
	"perfdeck/session/source/engine"
)

// usualFor is how much of the past of hosts of an engine stands where a recording may.
const usualFor = time.Hour

// pastForms are the forms of the moments, for messages.
const pastForms = `write prom+http://ENGINE#HOST@FROM/FOR, as @-2h, @03:12/30m, "@yesterday 03:12/2h" or @2026-03-02T03:12/1h; without a moment it is the last hour`

// isPast tells a part of the past of an engine from a file.
func isPast(name string) bool { return strings.HasPrefix(name, config.EnginePrefix) }

// pastNamed is the address of a part of the past of an engine, which may be named as an
// [[engine]] of the config is; ok is false for a file.
func (p *program) pastNamed(name string) (address string, ok bool) {
	if isPast(name) {
		return name, true
	}
	if _, err := os.Stat(name); err == nil || strings.ContainsAny(name, `/\`) && !strings.Contains(name, inventory.PastMark) {
		return "", false
	}
	known, err := p.inventory()
	if err != nil {
		return "", false // the file that is not there is told
	}
	return known.EngineAddress(name)
}

// isSpan tells a part of the past of an engine that says when it was.
func (p *program) isSpan(name string) bool {
	if !strings.Contains(name, inventory.PastMark) {
		return false
	}
	_, is := p.pastNamed(name)
	return is
}

// pastHosts are hosts of engines that are named with a moment, which are played as recordings
// are: either all are, or none.
func (p *program) pastHosts() (past []string, err error) {
	if len(p.flags.hosts) == 0 {
		return nil, nil
	}
	known, err := p.inventory()
	if err != nil {
		return nil, err
	}
	live := ""
	for _, name := range p.flags.hosts {
		if known.IsPast(name) {
			past = append(past, name)
		} else {
			live = name
		}
	}
	if len(past) > 0 && live != "" {
		return nil, usage(session.WithHint(fmt.Errorf("--host %s and --host %s: the past and what is now are not shown together", session.Printable(past[0]), session.Printable(live)), "name both with a moment, or none; on the screens @ goes to a moment"))
	}
	return past, nil
}

// pastOf takes it apart.
func pastOf(name string, now time.Time) (hosts string, from, to time.Time, err error) {
	hosts, span, said := strings.Cut(name, inventory.PastMark)
	if !said {
		return hosts, now.Add(-usualFor), now, nil
	}
	begin, length, long := strings.Cut(span, inventory.PastFor)
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
		return "", from, to, usage(session.WithHint(fmt.Errorf("%s: %q: %w", session.Printable(hosts), span, err), pastForms))
	}
	return hosts, from, to, nil
}

// pastName is the name of a part of the past.
func pastName(hosts string, from, to time.Time) string {
	return hosts + inventory.PastMark + from.Format("2006-01-02T15:04:05") + inventory.PastFor + to.Sub(from).Round(time.Second).String()
}

// spoolPast reads a part of the past into a recording in a folder.
func (p *program) spoolPast(name, folder string) (file string, err error) {
	known, err := p.inventory()
	if err != nil {
		return "", err
	}
	at, _, _ := strings.Cut(name, inventory.PastMark)
	ahead, err := known.EngineAhead(p.context(), at)
	if err != nil {
		return "", err
	}
	if ahead != 0 {
		p.spooled().Tell(fmt.Errorf("%s: %s: times are by the engine's", session.Printable(at), engine.ClockWords(ahead)))
	}
	hosts, from, to, err := pastOf(name, time.Now().Add(ahead))
	if err != nil {
		return "", err
	}
	file = filepath.Join(folder, pastFile(hosts, from))
	writer := past.New(file)
	read := from
	bar := p.newProgress(func() (float64, string, bool) { return float64(read.Sub(from)) / float64(to.Sub(from)), "", true })
	err = known.Past(p.context(), hosts, from, to, writer.Add, func(t time.Time) { read = t; bar.show() })
	bar.clear()
	if err = errors.Join(err, writer.Close()); err == nil && writer.Rows() == 0 {
		err = session.WithHint(fmt.Errorf("%s: it has no sample from %s to %s", session.Printable(hosts), from.Format(time.DateTime), to.Format(time.DateTime)), pastForms)
	}
	return file, err
}

// pastFile is the name of such a recording, as it is told: the engine, the host, the moment.
func pastFile(hosts string, from time.Time) string {
	at, host, _ := strings.Cut(strings.TrimPrefix(hosts, config.EnginePrefix), "#")
	if u, err := url.Parse(at); err == nil && u.Host != "" {
		at = u.Host
	}
	name := strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, strings.TrimSpace(at+" "+host))
	return name + from.Format(" 2006-01-02 15.04") + ".db"
}
