package engine

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"time"

	"perfdeck/session"
)

var errEnough = errors.New("as many as were asked for")

// Instances implements session.Namer where one label has their names: the engine is asked for its
// values.
func (s *Source) Instances(ctx context.Context, set *session.Counterset, counter int, text string, most int) (keys []session.InstanceKey, more bool, err error) {
	s.mu.Lock()
	now := Source{hub: s.hub, host: s.host, list: s.list, has: s.has}
	s.mu.Unlock()
	if now.list == nil {
		return nil, false, errUnknown
	}
	w := now.list.wanted(session.Want{Set: set, Counters: []int{counter}})
	p, name, ok := now.rowsOf(&w)
	if !ok || name == allLabels {
		return nil, false, errors.ErrUnsupported
	}
	of := now.list.index.byCounter[place{set.Name, counter}]
	one := of[slices.IndexFunc(of, func(m series) bool { return m.isOf(p.kinds) })]
	matchers := p.matcher() + "," + others(name) + one.labelMatchers()
	if text != "" {
		matchers += "," + name + "=~" + strconv.Quote("(?i).*"+regexp.QuoteMeta(text)+".*")
	}
	selector := one.metric + "{" + matchers + "}"
	to := time.Now().Add(s.hub.Ahead())
	_, err = s.hub.engine.Values(ctx, name, selector, to.Add(-lookBack), to, most+1, func(value string) error {
		if len(keys) == most {
			return errEnough
		}
		keys = append(keys, session.InstanceKey{Name: value})
		return nil
	})
	if errors.Is(err, errEnough) {
		return keys, true, nil
	}
	return keys, false, err
}

var _ session.Namer = (*Source)(nil)
