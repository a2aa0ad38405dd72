// Package memory is hosts with data collector sets in memory, for tests.
package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"perfdeck/session/hosts/pla"
)

// Host is its sets in memory, for tests.
type Host struct {
	Sets    map[string]*pla.Set // by the whole name in lower case
	Says    []pla.Problem       // to each commit
	Commits []pla.Change
	Fails   error // of each call
	Between func()
	Asked   []string // calls
	Open    int

	Password string // of the last account
}

func key(n pla.Name) string { return strings.ToLower(n.String()) }

func (k *Host) find(op string, n pla.Name) (*pla.Set, error) {
	k.Asked = append(k.Asked, op)
	if k.Fails != nil {
		return nil, k.Fails
	}
	s := k.Sets[key(n)]
	if s == nil {
		return nil, &pla.Error{Op: op, Name: n, Code: 0x80300002}
	}
	return s, nil
}

func (k *Host) List(context.Context, ...pla.Category) (*pla.Listing, error) {
	if k.Fails != nil {
		return nil, k.Fails
	}
	l := &pla.Listing{}
	for _, s := range k.Sets {
		l.Sets = append(l.Sets, pla.Listed{Name: s.Name, Status: s.Status})
	}
	slices.SortFunc(l.Sets, func(a, b pla.Listed) int { return strings.Compare(key(a.Name), key(b.Name)) })
	return l, nil
}

func (k *Host) Read(_ context.Context, n pla.Name) (*pla.Set, error) {
	s, err := k.find(pla.OpRead, n)
	if err != nil {
		return nil, err
	}
	one := *s
	return &one, nil
}

func (k *Host) Commit(ctx context.Context, c pla.Change) ([]pla.Problem, error) {
	k.Asked = append(k.Asked, pla.OpCommit)
	if k.Between != nil {
		k.Between()
	}
	s := k.Sets[key(c.Name)]
	switch {
	case k.Fails != nil:
		return nil, k.Fails
	case s != nil && c.Mode&(pla.Create|pla.Modify) == pla.Create:
		return nil, &pla.Error{Op: pla.OpCommit, Name: c.Name, Code: 0x803000B7}
	case s == nil && c.Mode&pla.Create == 0:
		return nil, &pla.Error{Op: pla.OpCommit, Name: c.Name, Code: 0x80300002}
	case s != nil && c.Was != "" && c.Was != s.XML:
		return nil, &pla.ChangedError{Name: c.Name}
	}
	k.Commits = append(k.Commits, c)
	if c.RunAs != nil && c.RunAs.Password != nil {
		password, err := c.RunAs.Password(ctx)
		if err != nil {
			return nil, err
		}
		k.Password = string(password)
	}
	if c.Mode&pla.Validate == 0 {
		if s == nil {
			s = &pla.Set{Name: c.Name}
			k.Sets[key(c.Name)] = s
		}
		s.XML = c.XML
	}
	return k.Says, nil
}

func (k *Host) Delete(_ context.Context, n pla.Name) error {
	_, err := k.find(pla.OpDelete, n)
	if err == nil {
		delete(k.Sets, key(n))
	}
	return err
}

func (k *Host) Start(_ context.Context, n pla.Name) error {
	s, err := k.find(pla.OpStart, n)
	if err == nil {
		s.Status = pla.Running
	}
	return err
}

func (k *Host) Stop(ctx context.Context, n pla.Name) error {
	if _, err := k.find(pla.OpStop, n); err != nil {
		return err
	}
	<-ctx.Done()
	return fmt.Errorf("stop: %w", context.Cause(ctx))
}

func (k *Host) Close() error { k.Open--; return nil }

// WebXML is a set as a host writes it.
const WebXML = "<DataCollectorSet><Status>0</Status><Duration>0</Duration><SchedulesEnabled>-1</SchedulesEnabled><Schedule><StartTime>22:00:00</StartTime><Days>127</Days></Schedule><Name>Web</Name>" +
	"<RootPath>%systemdrive%\\PerfLogs\\Admin\\Web</RootPath><Task/><DisplayNameUnresolved>@x.dll,#1</DisplayNameUnresolved><Odd>\r\n</Odd>" +
	"<TraceDataCollector><Name>T</Name></TraceDataCollector><PerformanceCounterDataCollector><Name>P</Name><SampleInterval>15</SampleInterval><Counter>\\Memory\\Available Bytes</Counter></PerformanceCounterDataCollector></DataCollectorSet>"

// New is a host with a set of its user, one of the system, and one of its boot.
func New() *Host {
	return &Host{Sets: map[string]*pla.Set{
		`service\web`:    {Name: pla.Name{Set: "Web"}, XML: WebXML, Account: `CORP\svc`, Security: "O:BAD:(A;;FA;;;BA)(A;;FRFX;;;LU)", Root: `C:\PerfLogs\Admin\Web`, Output: `C:\PerfLogs\Admin\Web\1`},
		`system\sys`:     {Name: pla.Name{Category: pla.System, Set: "Sys"}, XML: WebXML},
		`autosession\bt`: {Name: pla.Name{Category: pla.Autosession, Set: "Bt"}, XML: WebXML, Status: pla.Undefined},
	}}
}
