package pushing

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"perfdeck/session"
	"perfdeck/session/app/inventory"
	"perfdeck/session/config"
	"perfdeck/session/give/push"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/printable"
)

// Said is what a command line says of a push, over the [[push]] of the config that it names. Zero is
// what is not said. Tags are those of its flags.
type Said struct {
	config.Push

	To    string                 `flag:"to" help:"address of the engine, or the name of a [[push]] of the config"`
	Given func(flag string) bool // which flags it has
	Texts []string               `flag:"label" help:"label of every series, as site=fra (repeatable)"`
	// TokenFile and PasswordFile go before all secrets of the config.
	TokenFile    string `flag:"token-file" help:"file with a bearer token, mode 0600"`
	PasswordFile string `flag:"to-password-file" help:"file with its password, mode 0600; else a prompt"`
	// Counters tells that it names counters: those of the config are not meant. More reads those of
	// files.
	Counters bool
	More     func() ([]inventory.Query, error)
	Queue    string `flag:"queue" help:"folder of the queue (default below $XDG_STATE_HOME/perfdeck/push)"`
	Shard    push.Shard
}

// Job is what is pushed where.
type Job struct {
	push.Options

	Queries []inventory.Query
	Hosts   []string // that the config names

	said said
}

// said is what a job is made of, its counters too.
type said struct {
	config.Push

	queue   string
	shard   push.Shard
	queries []inventory.Query
}

// Entry is the job in a group. What the engine cannot be reached by is a session.UsageError.
func (j *Job) Entry() push.Entry {
	return push.Entry{Name: printable.Address(j.Engine.URL), Of: j.said, Open: func() (push.Options, push.Asks, error) {
		return j.Options, func(h push.Host) ([]session.Question, bool) { return questionsOf(h, j.Queries), true }, nil
	}}
}

// Settle settles what a command line says. What is wrong with it is a session.UsageError.
func (m *Maker) Settle(s Said) (j Job, err error) {
	named, err := m.over(&s)
	if err != nil {
		return j, err
	}
	more, err := s.More()
	if err != nil {
		return j, err
	}
	if j.Queries, err = Queries(named, more...); err != nil {
		return j, err
	}
	j.Hosts, j.said = slices.Clone(named.Hosts), said{named, s.Queue, s.Shard, j.Queries}
	j.Options, err = m.Make(named, s.Queue, s.Shard)
	return j, err
}

// over is the push that is meant, with what the command line says over it.
func (m *Maker) over(s *Said) (out config.Push, err error) {
	if s.To == "" {
		return out, failure.Usage(errors.New("push: no engine is named"), "--to http://127.0.0.1:9090/api/v1/write, or --to NAME of a [[push]] of the config")
	}
	named, err := m.Named(s.To)
	if err != nil {
		return out, err
	}
	out = s.Push
	out.Name, out.URL, out.Hosts = named.Name, named.URL, named.Hosts
	if !s.Counters {
		out.Paths, out.Sets, out.Packs = named.Paths, named.Sets, named.Packs
	}
	config.Over(&out, &named, s.Given)
	if err := s.account(&out, &named); err != nil {
		return out, err
	}
	out.Labels, err = labels(named.Labels, s.Texts)
	return out, err
}

// account settles who we are to the engine: one secret goes before another.
func (s *Said) account(out, named *config.Push) error {
	switch {
	case s.TokenFile != "" && (s.User != "" || s.PasswordFile != ""):
		return failure.Usage(errors.New("push: --token-file and an account exclude each other"))
	case s.TokenFile != "":
		out.User, out.Token = "", config.PasswordRef{File: s.TokenFile}
	case s.PasswordFile != "" && out.User == "":
		return failure.Usage(errors.New("push: --to-password-file without --to-user"))
	case s.PasswordFile != "":
		out.Password = config.PasswordRef{File: s.PasswordFile}
	default:
		out.Token, out.Password = named.Token, named.Password
	}
	return nil
}

// labels are those of the config and, over them, those of texts, each of which is given once.
func labels(named map[string]string, texts []string) (map[string]string, error) {
	all, given := map[string]string{}, map[string]bool{}
	maps.Copy(all, named)
	for _, text := range texts {
		name, value, ok := strings.Cut(text, "=")
		switch {
		case !ok:
			return nil, failure.Usage(fmt.Errorf("--label %q: no such value", text), "known: NAME=VALUE, as site=fra")
		case given[name]:
			return nil, failure.Usage(fmt.Errorf("label %q: it is given twice", name))
		}
		all[name], given[name] = value, true
	}
	return all, nil
}
