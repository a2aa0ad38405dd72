package inventory

import (
	"slices"

	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/hosts/feed"
	"perfdeck/session/hosts/manifest"
)

// WithFeeds stands what the config feeds beside this computer's own. It runs when somebody asks. Report
// hears what is wrong with it, as with Served; nil: nobody.
func (v *Inventory) WithFeeds(own session.Source, report func(error)) session.Source {
	if !v.hasFeeds() {
		return own
	}
	return feed.NewBeside(own, v.newFeed(feed.Options{Feeds: v.feedsOf(v.config().Feeds), Report: report}))
}

// Served is this computer as a server offers it: what the config feeds stands beside its
// own, with clocks as its, and runs from begin on, before somebody asks. Report hears what is wrong
// with it, from several goroutines.
func (v *Inventory) Served(own session.Source, report func(error)) (served session.Source, begin func()) {
	if !v.hasFeeds() {
		return own, func() {}
	}
	fed := v.newFeed(feed.Options{Feeds: v.feedsOf(v.config().Feeds), Clocks: feed.ClocksOf(own), Report: report})
	return feed.NewBeside(own, fed), fed.Begin
}

// ServedFeed is what manifests declare and inlets bring, as a server offers it.
func (v *Inventory) ServedFeed(files []*manifest.File, inlets []feed.Inlet, report func(error)) session.Source {
	fed := v.newFeed(feed.Options{Feeds: []feed.Feed{{Name: files[0].Name, Files: files, Inlets: inlets}}, Report: report})
	fed.Begin()
	return fed
}

func (v *Inventory) hasFeeds() bool { return v.config() != nil && len(v.config().Feeds) > 0 }

// newFeed is what is fed to this computer.
func (v *Inventory) newFeed(o feed.Options) *feed.Source {
	o.Host, o.Clock, o.Go, o.Environ = LocalName(), v.o.Clock(), v.o.Go, v.o.Environ
	s := feed.New(o)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.opened = append(slices.DeleteFunc(v.opened, (*feed.Source).IsClosed), s)
	return s
}

// feedsOf are those of a config. One whose manifest cannot be read has nothing to feed,
// and says so.
func (v *Inventory) feedsOf(feeds []config.Feed) []feed.Feed {
	out := make([]feed.Feed, 0, len(feeds))
	for i := range feeds {
		c := &feeds[i]
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

// fedSets are the countersets that manifests of feeds declare. One that cannot be read says
// so where it feeds.
func (v *Inventory) fedSets() (sets []*session.Counterset) {
	if !v.hasFeeds() {
		return nil
	}
	for i := range v.config().Feeds {
		files, _ := v.fedManifests(v.config().Feeds[i].Manifests)
		for _, f := range files {
			sets = append(sets, f.Catalogue()...)
		}
	}
	return sets
}

func (v *Inventory) fedManifests(names []string) ([]*manifest.File, error) {
	whole := make([]string, len(names))
	for i, name := range names {
		var err error
		if whole[i], err = config.Obeyed(name); err != nil {
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
	in.Command[0], err = config.Program(c.Command[0])
	return in, err
}
