package config

import (
	"fmt"
	"slices"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/field"
)

const recordTable = "record"

// Record is a [[record]] table: a recording that has a name. Tags are those of the flags of perfdeck record.
type Record struct {
	Name        string
	Paths       []string
	Hosts       []string      // empty: not said
	File        string        `flag:"output" short:"o" help:"file to record to (default: named by computer and time, in this folder)"` // absolute, or below ~/
	Interval    time.Duration `flag:"interval"`
	SegmentTime time.Duration `flag:"segment-time"` // 0: none, as in all that follows
	SegmentSize int64         `flag:"segment-size"` // bytes
	SegmentRows int64         `flag:"segment-samples" help:"begin the next file after so many samples"`
	Samples     int64         `flag:"count" short:"n" help:"how many samples (0: until stopped)"`
	Ring        int64         `flag:"ring"` // bytes
	KeepFor     time.Duration `flag:"keep-for"`
	Duration    time.Duration `flag:"duration"`
	PerHost     bool          `flag:"per-host" help:"a file for each host"`
	Follow      bool          `flag:"follow-instances" help:"begin the next file when instances come that the file has no column for"`
	Events      bool          `flag:"events" help:"keep what hosts log, too, with its texts, in .db and .json files"`
	Always      bool
	Parts       string `flag:"parts"`
	Pattern     string `flag:"pattern" help:"pattern behind the base of the names, as '\\_yyyyMMdd\\-NNNN'"`
}

// Record finds a recording by its name, compared without case.
func (c *Config) Record(name string) (Record, bool) {
	return find(c.Records, func(r *Record) bool { return paths.EqualFold(r.Name, name) })
}

// Unbounded are the recordings that always go on, and whose files nothing clears away, as errors.
func (c *Config) Unbounded() (out []error) {
	for _, r := range c.Records {
		if r.Always && r.Ring == 0 && r.KeepFor == 0 && r.Duration == 0 && r.Samples == 0 {
			out = append(out, failure.WithHint(fmt.Errorf("record %s: it goes on for ever, and nothing of it is cleared away", r.Name), `ring = "10GB" or keep_for = "30d" keeps the newest`))
		}
	}
	return out
}

const maxSegmentTime = 366 * 24 * time.Hour

func decodeRecord(t table) Record {
	var r Record
	r.Name = required(t, "name", name("a recording"))
	r.Paths = required(t, "paths", texts(`counter paths, as ['\Memory\*']`, isCounterPath))
	r.File = required(t, "file", wholePath())
	set(t, "hosts", texts(`hosts, as ["web01"]`, isHost), &r.Hosts)
	set(t, "interval", duration(session.MinInterval, maxInterval), &r.Interval)
	set(t, "segment_time", duration(time.Second, maxSegmentTime), &r.SegmentTime)
	set(t, "duration", duration(time.Second, maxSegmentTime), &r.Duration)
	set(t, "segment_size", size(), &r.SegmentSize)
	set(t, "segment_samples", sampleCount(), &r.SegmentRows)
	set(t, "samples", sampleCount(), &r.Samples)
	set(t, "ring", size(), &r.Ring)
	set(t, "keep_for", duration(time.Minute, maxSegmentTime), &r.KeepFor)
	set(t, "per_host", yesNo(), &r.PerHost)
	set(t, "follow_instances", yesNo(), &r.Follow)
	set(t, "events", yesNo(), &r.Events)
	set(t, "always", yesNo(), &r.Always)
	set(t, "parts", text("parts of names, as \"computer,yyyyMMdd\"", plainText), &r.Parts)
	set(t, "pattern", text(`a pattern of names, as '\_yyyyMMdd'`, plainText), &r.Pattern)
	return r
}

func isCounterPath(s string) bool {
	_, err := paths.Parse(s)
	return err == nil
}

// sampleCount is a number of samples.
func sampleCount() reader[int64] {
	return reader[int64]{expected: "a number of samples, from 1", read: func(v any) (int64, bool) {
		n, ok := v.(int64)
		return n, ok && n > 0
	}}
}

func size() reader[int64] {
	return reader[int64]{expected: `a size as "500KB" or "2GB", or a number of bytes`, read: func(v any) (int64, bool) {
		switch v := v.(type) {
		case int64:
			return v, v > 0
		case string:
			n, ok := field.ParseSize(v)
			return n, ok && n > 0
		}
		return 0, false
	}}
}

// LeastRate is how many bytes a second a limit has to leave at least: with less no answer comes in time.
const LeastRate = 1 << 10

func rate() reader[int64] {
	bytes := size()
	return reader[int64]{expected: `bytes a second as "32KB", "1KB" at least`, read: func(v any) (int64, bool) {
		n, ok := bytes.read(v)
		return n, ok && n >= LeastRate
	}}
}

// RecordsAlways tells whether there are recordings that always go on.
func (c *Config) RecordsAlways() bool {
	return slices.ContainsFunc(c.Records, func(r Record) bool { return r.Always })
}

// RecordedAt are the hosts that recordings name. anywhere tells that one that always goes on
// names none: those that are watched are meant.
func (c *Config) RecordedAt() (names []string, anywhere bool) {
	for _, r := range c.Records {
		for _, h := range r.Hosts {
			if !slices.Contains(names, h) {
				names = append(names, h)
			}
		}
		anywhere = anywhere || r.Always && len(r.Hosts) == 0
	}
	return names, anywhere
}
