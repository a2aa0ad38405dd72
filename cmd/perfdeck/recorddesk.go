package main

import (
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

// plansOf are the recordings of a config.
func plansOf(records []config.Record, every time.Duration, flags []string) (out []desk.Plan) {
	for i := range records {
		r := &records[i]
		out = append(out, desk.Plan{
			Name: r.Name, Paths: r.Paths, Always: r.Always,
			Has: func(host string) bool { return inventory.Means(r.Hosts, host) },
			Options: func() (collector.Options, error) {
				o, err := plannedOptions(r, every)
				o.Flags = flags
				return o, err
			},
		})
	}
	return out
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

// recordedHost is a host as recordings have it.
func recordedHost(h inventory.Host) collector.Host {
	return collector.Host{Name: h.Name, Sampler: h.Sampler, Open: h.Open, Account: h.Account()}
}

// recordedHosts is the recordings of a desk, which are given hosts.
type recordedHosts struct{ *desk.Named }

func (r recordedHosts) Add(h inventory.Host) { r.Named.Add(recordedHost(h)) }
