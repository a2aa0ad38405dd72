package sampling

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"perfdeck/session/app/inventory"
	"perfdeck/session/config"
	"perfdeck/session/files/formats"
	"perfdeck/session/files/logs"
	"perfdeck/session/files/naming"
	"perfdeck/session/recording/collector"
	"perfdeck/session/recording/destination"
	"perfdeck/session/recording/recorders"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/osfile"
)

// Said is what is said of a recording: what a [[record]] can, and what command lines can besides. Zero
// is what is not said.
type Said struct {
	config.Record

	Format      string // by its name; empty: as the name of the file says
	Set         string `flag:"set" help:"name of the set in an SQLite file (default: that of the file)"`
	Caption     string `flag:"caption" help:"text that the file keeps about itself"`
	Serial      uint32 `flag:"serial" help:"first serial number (default: behind the files that are there)"`
	Sync        collector.SyncPolicy
	MinFree     int64
	Exists      collector.Existing
	Spreadsheet bool `flag:"csv-safe" help:"keep spreadsheets from running text cells as formulas"`
	ShowHidden  bool `flag:"show-hidden" help:"let wildcards find hidden counters too"`
}

// Over are words of a command line over those of a [[record]]: given tells which flags it has.
func (s *Said) Over(r *config.Record, given func(flag string) bool) error {
	named := *r
	var err error
	if named.File, err = config.BelowHome(r.File); err != nil {
		return err
	}
	config.Over(&s.Record, &named, given)
	s.Paths, s.Hosts = r.Paths, slices.Clone(r.Hosts)
	return nil
}

// Options are those of the recording, but for its hosts.
func (s *Said) Options() (collector.Options, error) {
	o := collector.Options{
		Subject: collector.Subject{Every: s.Interval, ShowHidden: s.ShowHidden, Events: s.Events},
		Files: collector.Files{
			File: s.File, Pattern: s.Pattern, Serial: s.Serial, Caption: s.Caption, PerHost: s.PerHost, Exists: s.Exists,
			Write: logs.WriteOptions{Set: s.Set, Spreadsheet: s.Spreadsheet},
		},
		Until: collector.Until{Count: s.Samples, Duration: s.Duration},
		Keeping: collector.Keeping{
			Segment: collector.Limits{Time: s.SegmentTime, Bytes: s.SegmentSize, Samples: s.SegmentRows}, FollowInstances: s.Follow,
			Ring: s.Ring, KeepFor: s.KeepFor, MinFree: s.MinFree, Sync: s.Sync,
		},
	}
	if destination.IsStandardOutput(s.File) || osfile.IsDevice(s.File) {
		return o, failure.Usage(fmt.Errorf("record -o %s: that is no plain file", s.File), "perfdeck sample -o - writes to standard output, and to devices and pipes")
	}
	var err error
	if o.Format, err = destination.Format("record", s.File, s.Format, formats.ToRecord); err != nil {
		return o, err
	}
	if s.Parts != "" {
		parts, ok := naming.ParseParts(s.Parts)
		if !ok {
			return o, failure.Usage(fmt.Errorf("--parts %q: no such value", s.Parts), "known: "+strings.Join(naming.PartNames(), ", "))
		}
		o.Parts = parts
	}
	return o, nil
}

// ByTime names a recording that has no name by its computer, if it is one, and the time.
func ByTime(o *collector.Options) {
	if o.File != "" {
		return
	}
	o.File = o.Format.Extensions[0]
	o.Pattern = `yyyyMMdd\-HHmmss`
	if len(o.Hosts) == 1 {
		o.Parts |= naming.PartComputer
	} else if !o.PerHost {
		o.File, o.Pattern = "perfdeck"+o.File, `\-`+o.Pattern
	}
}

// Planned are the recordings of a config. every is the interval of those that have none, flags open their
// hosts on a command line.
func Planned(records []config.Record, every time.Duration, flags []string) (out []recorders.Plan) {
	for _, r := range records {
		r.Interval = cmp.Or(r.Interval, every)
		out = append(out, recorders.Plan{
			Name: r.Name, Paths: r.Paths, Always: r.Always, Spec: fmt.Sprintf("%#v", r),
			Has: func(h *collector.Host) bool { return !h.Aside && inventory.Means(r.Hosts, h.Name) },
			Options: func() (collector.Options, error) {
				o, err := optionsOf(&r)
				o.Flags = flags
				return o, err
			},
		})
	}
	return out
}

func optionsOf(r *config.Record) (collector.Options, error) {
	file, err := config.BelowHome(r.File)
	if err != nil {
		return collector.Options{}, err
	}
	s := Said{Record: *r}
	s.File = file
	if s.Parts == "" && s.Pattern == "" {
		s.Parts = "serial" // one begins after the other
	}
	return s.Options()
}

// Recordings is the planned recordings of a process, which are given hosts.
type Recordings struct{ *recorders.Named }

// Add gives them a host.
func (d Recordings) Add(h inventory.Host) { d.Named.Add(Host(h)) }
