package main

import (
	"errors"
	"fmt"
	"strings"

	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/source/feed"
	"perfdeck/session/source/manifest"
)

// feedForms are the forms of --feed, for messages.
const feedForms = "run:PROGRAM, file:FILE, socket:PATH or http://127.0.0.1:PORT/PATH"

// withFeeds stands what the config feeds beside this computer's own.
func (p *program) withFeeds(own session.Source) session.Source {
	if p.config == nil || len(p.config.Feeds) == 0 {
		return own
	}
	return feed.NewBeside(own, p.newFeeds(feed.Options{Feeds: p.feeds(), Clock: p.newClock()}))
}

func (p *program) newFeeds(o feed.Options) *feed.Source {
	o.Host, o.Go, o.Environ = localName(), p.guard.Go, p.environ
	return feed.New(o)
}

// feeds are those of the config. One whose manifest cannot be read has nothing to feed,
// and says so.
func (p *program) feeds() []feed.Feed {
	out := make([]feed.Feed, 0, len(p.config.Feeds))
	for i := range p.config.Feeds {
		c := &p.config.Feeds[i]
		f := feed.Feed{Name: c.Name, Metrics: c.Metrics, Every: c.Every, Keep: c.Keep}
		f.Files, f.Err = p.fedManifests(c.Manifests)
		var inlet feed.Inlet
		if f.Err == nil {
			inlet, f.Err = inletOf(c)
		}
		f.Inlets = []feed.Inlet{inlet}
		out = append(out, f)
	}
	return out
}

func (p *program) fedManifests(names []string) ([]*manifest.File, error) {
	whole := make([]string, len(names))
	for i, name := range names {
		var err error
		if whole[i], err = config.BelowHome(name); err != nil {
			return nil, err
		}
	}
	var m manifests
	if err := m.read(p, whole); err != nil {
		return nil, err
	}
	if err := m.verdict("feed"); err != nil {
		return nil, session.WithHint(err, "perfdeck manifest check says what is wrong")
	}
	return m.files, nil
}

// inletOf is where the lines of a feed of the config come from.
func inletOf(c *config.Feed) (in feed.Inlet, err error) {
	in = feed.Inlet{Command: c.Command, URL: c.URL}
	if in.File, err = config.BelowHome(c.File); err != nil {
		return in, err
	}
	if in.Socket, err = config.BelowHome(c.Socket); err != nil || len(c.Command) == 0 {
		return in, err
	}
	in.Command = append([]string(nil), c.Command...)
	in.Command[0], err = config.BelowHome(c.Command[0])
	return in, err
}

// inletsOf reads --feed.
func inletsOf(flags []string) ([]feed.Inlet, error) {
	var out []feed.Inlet
	for _, text := range flags {
		in, err := parseInlet(text)
		if err != nil {
			return nil, usage(session.WithHint(fmt.Errorf("--feed %q: %w", text, err), "write "+feedForms))
		}
		out = append(out, in)
	}
	return out, nil
}

func parseInlet(text string) (in feed.Inlet, err error) {
	kind, rest, _ := strings.Cut(text, ":")
	if rest == "" {
		return in, errors.New("it says not where lines come from")
	}
	switch kind {
	case "run":
		in.Command = strings.Fields(rest)
		if len(in.Command) == 0 {
			err = errors.New("no program is named")
		}
	case "file":
		in.File = rest
	case "socket":
		in.Socket = rest
	default:
		in.URL, err = text, feed.CheckURL(text)
	}
	return in, err
}
