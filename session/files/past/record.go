package past

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"perfdeck/session"
)

// Engines have the past of hosts.
type Engines interface {
	// EngineAhead is what the clock of an engine is ahead of this computer's.
	EngineAhead(ctx context.Context, hosts string) (time.Duration, error)
	Past(ctx context.Context, hosts string, from, to time.Time, each func(host string, b *session.SetBatch) error, tick func(time.Time)) error
}

// Record reads a part of the past, as ParseSpan reads its name, into a recording in a folder. ahead hears
// of a clock of an engine that is ahead, tick how much is done.
func Record(ctx context.Context, of Engines, name, folder string, ahead func(hosts string, by time.Duration), tick func(share float64)) (file string, err error) {
	hosts, _, _ := strings.Cut(name, Mark)
	by, err := of.EngineAhead(ctx, hosts)
	if err != nil {
		return "", err
	}
	if by != 0 {
		ahead(hosts, by)
	}
	span, err := ParseSpan(name, time.Now().Add(by))
	if err != nil {
		return "", err
	}
	file = filepath.Join(folder, span.File())
	writer := New(file)
	err = of.Past(ctx, span.Hosts, span.From, span.To, writer.Add, func(at time.Time) { tick(span.Share(at)) })
	if err = errors.Join(err, writer.Close()); err == nil && writer.Rows() == 0 {
		err = span.Without()
	}
	return file, err
}
