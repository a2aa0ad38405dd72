package job

import (
	"context"
	"fmt"
	"time"

	"perfdeck/session/engine/push"
	"perfdeck/session/inventory"
)

// Closing is how long the end of a push may take: what is not sent then stays in the queue.
const Closing = 5 * time.Second

// Watched is who hears how a push goes. One goroutine calls its functions.
type Watched struct {
	Begun func(push.Status)
	Goes  func(push.Status) // each Every
	Every time.Duration
	Ends  func() // what waits is about to be sent: the process is not to be ended
}

// Run pushes what hosts give until the context ends, and then sends for a while what waits. The
// status is that at the end. Hosts are closed where it cannot begin.
func Run(ctx context.Context, o push.Options, hosts []inventory.Host, queries []inventory.Query, w Watched) (push.Status, error) {
	pusher, err := push.Start(o)
	if err != nil {
		inventory.CloseAll(hosts)
		return push.Status{}, failure(err)
	}
	w.Begun(pusher.Status())
	sampling, cancel := context.WithCancel(context.WithoutCancel(ctx)) // series are ended as they are
	defer cancel()
	for _, h := range hosts {
		one := Host(h)
		one.Questions = questionsFor(h.Name, queries)
		pusher.Add(one)
	}
	inventory.Start(sampling, hosts...)
	ticks := time.NewTicker(w.Every)
	defer ticks.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-ticks.C:
			w.Goes(pusher.Status())
		}
	}
	w.Ends()
	closing, stop := context.WithTimeout(context.WithoutCancel(ctx), Closing)
	defer stop()
	if err = pusher.Close(closing); err != nil {
		err = fmt.Errorf("end the push: %w", err)
	}
	return pusher.Status(), err
}
