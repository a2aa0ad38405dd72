package main

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"perfdeck/session/app/inventory"
	"perfdeck/session/app/pushing"
	"perfdeck/session/app/roster"
	"perfdeck/session/config"
	"perfdeck/session/engine/link"
	"perfdeck/session/give/health"
	"perfdeck/session/give/push"
	"perfdeck/session/system/output"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
)

// pushHosts pushes what hosts give until the context ends, and tells how it goes. again settles both by
// the settings of a config that was read again.
func (s *running) pushHosts(ctx context.Context, metrics string, j *pushing.Job, hosts []inventory.Host, shard push.Shard, again func(config.Settings) (*pushing.Job, []inventory.Host, error)) error {
	line := output.NewLine(s.err, s.getenv("TERM") == "dumb")
	var all push.Status // of those that ended
	var failed error
	maker := &pushing.Maker{
		Hold: s.life.Keep, Report: func(err error) { line.Around(func() { s.report(err) }) }, Tell: func(text string) { line.Around(func() { s.tell(text) }) },
	}
	group := maker.Group(func(st push.Status, err error) {
		sum(&all, &st)
		failed = errors.Join(failed, err)
	})
	begin := func(e push.Entry) error {
		err := group.Begin(e)
		if _, ok := errors.AsType[*link.Error](err); ok {
			return usage(err)
		}
		return err
	}
	entry := j.Entry()
	if err := begin(entry); err != nil {
		inventory.CloseAll(hosts)
		return err
	}
	if err := s.tellSelf(ctx, metrics, func() []health.Fact { return pushFacts(group.Status()) }, func() error { return delivers(group.Status()) }); err != nil {
		inventory.CloseAll(hosts)
		group.Close()
		return err
	}
	to := roster.New(group)
	sampling := context.WithoutCancel(ctx) // series are ended as they are
	to.Set(sampling, hosts)
	end := s.begun(pushBegun(j, hosts, shard))
	if n := group.Status()[0].Queue.Samples; n > 0 {
		s.tell(english.Count(n, "sample", "samples") + " from before wait there and are sent first")
	}
	hung := s.onHangup(ctx, func(settings config.Settings) (string, error) {
		j, hosts, err := again(settings)
		if err != nil {
			return "", err
		}
		if next := j.Entry(); !reflect.DeepEqual(next.Of, entry.Of) {
			group.Set(nil)
			if err := begin(next); err != nil {
				_ = begin(entry)
				inventory.CloseAll(hosts)
				return "", err
			}
			entry = next
		}
		to.Set(sampling, hosts)
		return pushBegun(j, hosts, shard), nil
	})
	ticks := time.NewTicker(output.LineEvery)
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-ticks.C:
			for _, st := range group.Status() {
				line.Show(func() string { return pushLine(st) })
			}
		}
	}
	ticks.Stop()
	hung()
	release := s.life.Keep()
	defer release()
	group.Close()
	to.End()
	line.End()
	s.tell("pushed " + english.Count(all.Sent, "sample", "samples") + troubles(all))
	end()
	if failed != nil {
		return failed
	}
	return partlyIf(all.Refused+all.Lost+all.Queue.Unwritten+all.Queue.Full+all.Queue.Old+all.Queue.Damaged > 0)
}

// sum adds how another push goes, and what became of its samples.
func sum(to, of *push.Status) {
	to.Hosts += of.Hosts
	to.Taken += of.Taken
	to.Sent += of.Sent
	to.Refused += of.Refused
	to.Lost += of.Lost
	to.Queue.Samples += of.Queue.Samples
	to.Queue.Bytes += of.Queue.Bytes
	to.Queue.Unwritten += of.Queue.Unwritten
	to.Queue.Full += of.Queue.Full
	to.Queue.Old += of.Queue.Old
	to.Queue.Damaged += of.Queue.Damaged
}

// pushBegun says what is pushed where.
func pushBegun(j *pushing.Job, hosts []inventory.Host, shard push.Shard) string {
	of, none := "", ""
	if !shard.IsWhole() {
		of = " of shard " + shard.String()
	}
	if len(hosts) == 0 {
		none = "; none of the hosts is of this shard: only what waits is sent"
	}
	return fmt.Sprintf("pushing %s%s to %s each %s; queue in %s%s", english.Count(len(hosts), "host", "hosts"), of, printable.Address(j.Engine.URL), english.Exact(j.Every), j.Queue, none)
}

// pushLine is how pushing goes: what matters most first, for narrow terminals.
func pushLine(s push.Status) string {
	text := s.Engine + ": "
	if s.Err != nil {
		text += "away for " + english.Age(time.Since(s.Since)) + ", "
	}
	text += grouped(s.Sent) + " sent"
	if s.Queue.Samples > 0 {
		text += fmt.Sprintf(", %s wait (%s)", grouped(s.Queue.Samples), english.Size(s.Queue.Bytes))
	}
	return text + fmt.Sprintf("%s, %s, %d series", troubles(s), english.Count(s.Hosts, "host", "hosts"), s.Series)
}

// troubles are what was not sent and will not be.
func troubles(s push.Status) string {
	var b strings.Builder
	for _, t := range []struct {
		n   int64
		how string
	}{
		{s.Refused, "refused"}, {s.Queue.Full, "dropped: the queue was full"}, {s.Queue.Old, "dropped: they waited too long"},
		{s.Lost, "dropped: the disk was too slow"}, {s.Queue.Unwritten, "lost: the disk took none"},
	} {
		if t.n > 0 {
			fmt.Fprintf(&b, ", %s %s", grouped(t.n), t.how)
		}
	}
	if s.Queue.Damaged > 0 {
		fmt.Fprintf(&b, ", %s of the queue could not be read", english.Size(s.Queue.Damaged))
	}
	return b.String()
}

// grouped is a number with its thousands apart.
func grouped(n int64) string { return english.GroupDigits(strconv.FormatInt(n, 10), ",") }
