package inventory

import (
	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/source/feed"
	"perfdeck/session/source/manifest"
)

// withFeeds stands what the config feeds beside this computer's own.
func (v *Inventory) withFeeds(own session.Source) session.Source {
	if v.o.Config == nil || len(v.o.Config.Feeds) == 0 {
		return own
	}
	return feed.NewBeside(own, v.NewFeed(feed.Options{Feeds: v.Feeds(), Clock: v.o.Clock()}))
}

// NewFeed is what is fed to this computer.
func (v *Inventory) NewFeed(o feed.Options) *feed.Source {
	o.Host, o.Go, o.Environ = LocalName(), v.o.Go, v.o.Environ
	return feed.New(o)
}

// Feeds are those of the config. One whose manifest cannot be read has nothing to feed,
// and says so.
func (v *Inventory) Feeds() []feed.Feed {
	out := make([]feed.Feed, 0, len(v.o.Config.Feeds))
	for i := range v.o.Config.Feeds {
		c := &v.o.Config.Feeds[i]
		f := feed.Feed{Name: c.Name, Metrics: c.Metrics, Every: c.Every, Keep: c.Keep}
		f.Files, f.Err = v.fedManifests(c.Manifests)
		var inlet feed.Inlet
		if f.Err == nil {
			inlet, f.Err = inletOf(c)
		}
		f.Inlets = []feed.Inlet{inlet}
		out = append(out, f)
	}
	return out
}

func (v *Inventory) fedManifests(names []string) ([]*manifest.File, error) {
	whole := make([]string, len(names))
	for i, name := range names {
		var err error
		if whole[i], err = config.BelowHome(name); err != nil {
			return nil, err
		}
	}
	return v.o.Manifests(whole)
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
