// Package service is the counterset Service: what runs in the background of a computer, as its
// service manager tells. What asks a manager is a Manager; the counterset, when it is asked, and
// what is not asked again are the same for all of them.
package service

import (
	"fmt"
	"slices"
	"strings"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/text/printable"
)

// Service is what is known of one of them.
type Service struct {
	Name        string // as its manager knows it, without what all of them have
	Description string
	State       State
	Failed      bool // it ended, and not as it should
	// Stamp stays the same as long as its details do; the manager alone knows what it means.
	Stamp string
	Details

	key string // Name, as it was told
}

// State is how a service stands, as Windows numbers it (MS-SCMR 2.2.47). What these and the ways to
// start are called is in cooker: cooker.ServiceState, cooker.ServiceStart.
type State uint32

// The states.
const (
	Unknown State = iota
	Stopped
	Starting
	Stopping
	Running
	Resuming // of systemd: it reads its configuration anew
	Pausing
	Paused
)

// Ways to start (MS-SCMR 2.2.15).
const (
	Automatic = 2
	Manual    = 3
	Disabled  = 4
)

// Details are what a manager tells of one service alone.
type Details struct {
	Start, Process, Restarts, ExitCode cooker.Reading
	Missing                            cooker.Reading // whether it is to run since the start, and does not
	Began                              cooker.Reading // when it came into its state, in 100 ns since 1601
	Result                             string         // how it ended last, in its manager's word
	Setting                            string         // how it is to start, in its manager's word
}

// without are details of which none is known.
func without(why cooker.Status) (d Details) {
	none := cooker.Reading{State: why}
	d.Start, d.Process, d.Restarts, d.ExitCode, d.Began, d.Missing = none, none, none, none, none, none
	return d
}

// Unasked are details that nobody asked for yet.
func Unasked() Details { return without(cooker.Pending) }

// Number is the reading of a number.
func Number(n uint64) cooker.Reading { return cooker.Reading{Raw: n, Size: 8} }

// neverStarted is the exit code of a service that did not run since the computer started.
const neverStarted = 1077

// fromList is what the list of a service manager of Windows tells of a service.
func fromList(name, title string, state State, code, process uint32) Service {
	s := Service{
		Name: name, Description: title, State: state, Details: Unasked(),
		Stamp: fmt.Sprint(name, "\x00", state, process, code),
	}
	s.Failed = s.State == Stopped && code != 0 && code != neverStarted
	s.ExitCode, s.Process = Number(uint64(code)), cooker.Reading{State: cooker.Unavailable}
	if process != 0 {
		s.Process = Number(uint64(process))
	}
	return s
}

// Name of the counterset.
const Name = "Service"

// nameMissing is a counter that few have.
const nameMissing = "Missing"

// Text facts of services.
const (
	factDescription = "description"
	factResult      = "result"
	factSetting     = "setting"
)

// Set describes the counterset.
func Set() *session.Counterset {
	set := &session.Counterset{
		Name: Name, Provider: "local", Instances: session.MultipleInstances, Told: true,
		Description: "What runs in the background, as the computer's service manager tells; _Total counts them by their states.",
		Facts:       []string{factDescription, factResult, factSetting},
	}
	for i, c := range counters {
		one := session.Counter{
			ID: uint32(i + 1), Name: c.name, Description: c.about, Type: c.kind,
			Quantity: cooker.QuantityIn(c.kind, Name, c.name), Detail: session.DetailNovice,
			Companions: session.NoCompanions,
		}
		if c.name == nameMissing {
			one.Absent = "services of Windows hosts that are read over the network have it"
		}
		if c.isCounted {
			one.Aggregate = cooker.AggregateTotal
		}
		set.Counters = append(set.Counters, one)
	}
	return set
}

// counter is one of the set.
type counter struct {
	name      string
	kind      cooker.CounterType
	about     string
	isCounted bool // _Total is how many there are
	isDetail  bool
	read      func(*Service) cooker.Reading
}

var counters = []counter{
	{"State", cooker.CounterRawCount, "1 stopped, 2 starting, 3 stopping, 4 running, 5 resuming or reloading, 6 pausing, 7 paused, 0 unknown", false, false,
		func(s *Service) cooker.Reading { return Number(uint64(s.State)) }},
	{"Running", cooker.CounterRawCount, "1 if it runs", true, false, func(s *Service) cooker.Reading { return is(s.State == Running || s.State == Resuming) }},
	{"Stopped", cooker.CounterRawCount, "1 if it does not run, failed or not", true, false, func(s *Service) cooker.Reading { return is(s.State == Stopped) }},
	{"Failed", cooker.CounterRawCount, "1 if it ended, or did not start, by an error", true, false, func(s *Service) cooker.Reading { return is(s.Failed) }},
	{"Start Type", cooker.CounterRawCount, "2 automatic, 3 by hand or by others, 4 disabled", false, true, func(s *Service) cooker.Reading { return s.Start }},
	{"ID Process", cooker.CounterRawCount, "Number of its main process", false, true, func(s *Service) cooker.Reading { return s.Process }},
	{"Elapsed Time", cooker.ElapsedTime, "Seconds since it came up", false, true, func(s *Service) cooker.Reading { return s.Began }},
	{"Restarts", cooker.CounterRawCount, "Times that its manager started it again by itself", false, true, func(s *Service) cooker.Reading { return s.Restarts }},
	{"Exit Code", cooker.CounterRawCount, "What its main process ended with last; 128 and the number of the signal that ended it", false, true, func(s *Service) cooker.Reading { return s.ExitCode }},
	{nameMissing, cooker.CounterRawCount, "1 if it starts with the computer, neither delayed nor by what happens, and does not run", false, true, func(s *Service) cooker.Reading { return s.Missing }},
}

func is(yes bool) cooker.Reading {
	if yes {
		return Number(1)
	}
	return Number(0)
}

// fact is a text about a service.
func (s *Service) fact(key string) string {
	switch key {
	case factDescription:
		return s.Description
	case factResult:
		return s.Result
	case factSetting:
		return s.Setting
	}
	return ""
}

// Bounds of what a manager may tell.
const (
	mostServices = 20_000
	mostName     = 256  // characters
	mostText     = 1000 // characters
)

// settle makes what a manager told fit for paths and screens, in the order of names.
func settle(list []Service) []Service {
	slices.SortFunc(list, func(a, b Service) int { return strings.Compare(a.Name, b.Name) })
	for i := range list {
		s := &list[i]
		s.key = s.Name
		s.Name = printable.Shorten(printable.Text(paths.Instance(s.Name)), mostName)
		s.Description = printable.Shorten(printable.Text(s.Description), mostText)
		if s.State > Paused {
			s.State = Unknown
		}
	}
	return list
}

// fill adds the rows of services to a batch.
func fill(b *session.SetBatch, list []Service) {
	total := make([]uint64, len(b.Counters))
	seen := map[string]uint32{}
	for i := range list {
		s := &list[i]
		b.Instances = append(b.Instances, session.Instance{Key: session.InstanceKey{Name: s.Name}, Index: seen[s.Name]})
		seen[s.Name]++
		for at, index := range b.Counters {
			r := counters[index].read(s)
			total[at] += r.Raw
			b.Readings = append(b.Readings, r)
		}
		for _, key := range b.FactKeys {
			b.Facts = append(b.Facts, s.fact(key))
		}
	}
	b.Instances = append(b.Instances, session.Instance{Key: session.InstanceKey{Name: "_Total"}, Flags: session.FlagTotal})
	for at, index := range b.Counters {
		r := cooker.Reading{State: cooker.Unavailable}
		if counters[index].isCounted {
			r = Number(total[at])
		}
		b.Readings = append(b.Readings, r)
	}
	b.Facts = append(b.Facts, make([]string, len(b.FactKeys))...)
}
