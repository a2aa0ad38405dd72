package main

import (
	"slices"
	"time"

	"perfdeck/session/config"
	"perfdeck/session/inventory"
	"perfdeck/session/record/collector"
	"perfdeck/session/record/desk"
)

// newRecordDesk is a desk for the recordings of this process, with the plans of the config.
// every is the interval of those that have none, flags open the hosts on a command line.
func (p *program) newRecordDesk(every time.Duration, flags []string, report func(error)) *desk.Named {
	d := desk.New(desk.Options{Start: p.startRecording, Report: report, Go: p.guard.Go})
	return desk.NewNamed(d, plansOf(p.config.Records, every, flags))
}

// closeRecordings ends the recordings of a desk: a signal waits for them.
func (p *program) closeRecordings(d *desk.Named) {
	defer p.life.Keep()()
	d.Close()
}

// plansOf are the recordings of a config.
func plansOf(records []config.Record, every time.Duration, flags []string) (out []desk.Plan) {
	for i := range records {
		r := &records[i]
		out = append(out, desk.Plan{
			Name: r.Name, Paths: r.Paths, Always: r.Always,
			Has: func(host string) bool { return isRecordedAt(r, host) },
			Options: func() (collector.Options, error) {
				o, err := plannedOptions(r, every)
				o.Flags = flags
				return o, err
			},
		})
	}
	return out
}

// isRecordedAt tells whether a recording of the config is to have a host.
func isRecordedAt(r *config.Record, name string) bool {
	return len(r.Hosts) == 0 || slices.ContainsFunc(r.Hosts, func(h string) bool { return inventory.Is(h, name) || inventory.Is(inventory.DisplayName(h), name) })
}

// plannedOptions are those of a recording of the config, but for its hosts.
func plannedOptions(r *config.Record, every time.Duration) (collector.Options, error) {
	f := recordFlags{
		segmentTime: spanText(r.SegmentTime), segmentSize: bytesText(r.SegmentSize), ring: bytesText(r.Ring), duration: spanText(r.Duration),
		segmentSamples: r.SegmentRows, count: r.Samples,
		perHost: r.PerHost, follow: r.Follow, parts: r.Parts, pattern: r.Pattern, fsync: "5s",
	}
	file, err := config.BelowHome(r.File)
	if err != nil {
		return collector.Options{}, err
	}
	f.output = file
	if r.Parts == "" && r.Pattern == "" {
		f.parts = "serial" // one begins after the other
	}
	if r.Interval != 0 {
		every = r.Interval
	}
	return f.options(every)
}

// recordsAlways tells whether a config has recordings that always go on.
func recordsAlways(file *config.Config) bool {
	return slices.ContainsFunc(file.Records, func(r config.Record) bool { return r.Always })
}

// recordedAt are the hosts that recordings of a config name. anywhere tells that
// one that always goes on names none: those that are watched are meant.
func recordedAt(file *config.Config) (names []string, anywhere bool) {
	for _, r := range file.Records {
		for _, h := range r.Hosts {
			if !slices.Contains(names, h) {
				names = append(names, h)
			}
		}
		anywhere = anywhere || r.Always && len(r.Hosts) == 0
	}
	return names, anywhere
}

// recordedHost is a host as recordings have it.
func recordedHost(h inventory.Host) collector.Host {
	return collector.Host{Name: h.Name, Sampler: h.Sampler, Open: h.Open, Account: h.Account()}
}
