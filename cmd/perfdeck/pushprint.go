package main

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/session/engine/push"
	"perfdeck/session/engine/push/job"
	"perfdeck/session/inventory"
	"perfdeck/session/system/output"
)

// pushHosts pushes what hosts give until the context ends, and tells how it goes.
func (p *program) pushHosts(ctx context.Context, j job.Job, hosts []inventory.Host, shard push.Shard) error {
	o, of := j.Options, ""
	if !shard.IsWhole() {
		of = " of shard " + shard.String()
	}
	line := output.NewLine(p.err, p.getenv("TERM") == "dumb")
	report, tell := o.Report, o.Tell
	o.Report = func(err error) { line.Around(func() { report(err) }) }
	o.Tell = func(text string) { line.Around(func() { tell(text) }) }
	address := session.ShownAddress(o.Engine.URL)
	engine := address
	if u, err := url.Parse(address); err == nil {
		engine = u.Host
	}
	release := func() {}
	defer func() { release() }()
	s, err := job.Run(ctx, o, hosts, j.Queries, job.Watched{
		Begun: func(s push.Status) {
			tell(fmt.Sprintf("pushing %s%s to %s each %v; queue in %s", count(len(hosts), "host", "hosts"), of, address, o.Every, o.Queue))
			if n := s.Queue.Samples; n > 0 {
				tell(count(n, "sample", "samples") + " from before wait there and are sent first")
			}
			if len(hosts) == 0 {
				tell("none of the hosts is of this shard: only what waits is sent")
			}
		},
		Goes:  func(s push.Status) { line.Show(func() string { return pushLine(engine, s) }) },
		Every: output.LineEvery,
		Ends:  func() { release = p.life.Keep() },
	})
	line.End()
	if ctx.Err() == nil {
		return err // it could not begin
	}
	tell("pushed " + count(s.Sent, "sample", "samples") + troubles(s))
	if s.Queue.Samples > 0 {
		tell(count(s.Queue.Samples, "sample", "samples") + " wait in " + o.Queue + ": the next push sends them")
	}
	if err != nil {
		return err
	}
	return partlyIf(s.Refused+s.Lost+s.Queue.Unwritten+s.Queue.Full+s.Queue.Old+s.Queue.Damaged > 0)
}

// pushLine is how pushing goes: what matters most first, for narrow terminals.
func pushLine(engine string, s push.Status) string {
	text := engine + ": "
	if s.Err != nil {
		text += "away for " + time.Since(s.Since).Round(time.Second).String() + ", "
	}
	text += grouped(s.Sent) + " sent"
	if s.Queue.Samples > 0 {
		text += fmt.Sprintf(", %s wait (%s)", grouped(s.Queue.Samples), session.SizeText(s.Queue.Bytes))
	}
	return text + fmt.Sprintf("%s, %s, %d series", troubles(s), count(s.Hosts, "host", "hosts"), s.Series)
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
		fmt.Fprintf(&b, ", %s of the queue could not be read", session.SizeText(s.Queue.Damaged))
	}
	return b.String()
}

// grouped is a number with its thousands apart.
func grouped(n int64) string { return session.GroupDigits(strconv.FormatInt(n, 10), ",") }
