package main

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/inventory"
	"perfdeck/session/record/collector"
	"perfdeck/session/record/desk"
	"perfdeck/session/record/sampling"
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

// recordedHosts is the recordings of a desk, which are given hosts.
type recordedHosts struct{ *desk.Named }

func (r recordedHosts) Add(h inventory.Host) { r.Named.Add(sampling.Host(h)) }

// takeNamed takes from a [[record]] of the config what the command line does not
// say. It returns the paths.
func (p *program) takeNamed(c *cobra.Command, f *recordFlags, s *config.Settings) ([]string, error) {
	r, ok := p.config.Record(f.named)
	if !ok {
		return nil, p.unknownRecord(f.named)
	}
	file, err := config.BelowHome(r.File)
	if err != nil {
		return nil, err
	}
	set := func(flag, value string, to *string) {
		if value != "" && !c.Flags().Changed(flag) {
			*to = value
		}
	}
	set("output", file, &f.output)
	set("segment-time", spanText(r.SegmentTime), &f.segmentTime)
	set("segment-size", bytesText(r.SegmentSize), &f.segmentSize)
	set("ring", bytesText(r.Ring), &f.ring)
	set("duration", spanText(r.Duration), &f.duration)
	for flag, limit := range map[string]struct {
		n  int64
		to *int64
	}{"count": {r.Samples, &f.count}, "segment-samples": {r.SegmentRows, &f.segmentSamples}} {
		if limit.n > 0 && !c.Flags().Changed(flag) {
			*limit.to = limit.n
		}
	}
	set("parts", r.Parts, &f.parts)
	set("pattern", r.Pattern, &f.pattern)
	f.perHost, f.follow = f.perHost || r.PerHost, f.follow || r.Follow
	if r.Interval > 0 && !c.Flags().Changed("interval") {
		s.Interval = r.Interval
	}
	if len(p.flags.hosts) == 0 {
		p.flags.hosts = slices.Clone(r.Hosts)
	}
	return r.Paths, nil
}

func (p *program) unknownRecord(name string) error {
	var known []string
	for _, r := range p.config.Records {
		known = append(known, r.Name)
	}
	if len(known) == 0 {
		known = []string{"the config has no [[record]]"}
	}
	return unknownValue("named", name, strings.Join(known, ", "))
}

// spanText is a time of a flag; empty: none.
func spanText(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return session.DurationText(d)
}

func bytesText(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}
