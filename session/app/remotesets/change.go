package remotesets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"perfdeck/paths"
	"perfdeck/session/hosts/pla"
	"perfdeck/session/recording/collectorset"
	"perfdeck/session/recording/collectorset/edit"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/lazy"
	"perfdeck/session/system/osfile"
	"perfdeck/session/text/field"
	"perfdeck/session/text/printable"
)

// How says how a set of a host is changed.
type How struct {
	Yes   bool       // what would be asked is not, and goes on
	RunAs *pla.RunAs // nil: as it is
}

// Change is what came of one.
type Change struct {
	Name  pla.Name
	Found []collectorset.Finding // by the host, and here
	Kept  string                 // file of what was there, also where an error leaves open what is now; empty: nothing was
	Same  bool                   // there was nothing to change
}

var (
	errOfTraces = errors.New("sets of this category hold traces, which nothing here makes")
	errRuns     = errors.New("is left as it is")
)

// Create makes a set on a host.
func (d *Client) Create(ctx context.Context, host string, kind collectorset.Kind, text string, said field.Changes, how How) (*Change, error) {
	name, err := named(text, pla.OpCommit)
	if err != nil {
		return nil, err
	}
	if name.Category != pla.Service {
		return nil, failure.Usage(fmt.Errorf("create %s: %w", name, errOfTraces), `sets of counters and alerts are Service\NAME`)
	}
	e, err := edit.MakeOfHost(kind, name.Set, said)
	if err != nil {
		return nil, err
	}
	e.Set.UserAccount = "" // SetCredentials says it
	e.Set.RootPath = cmp.Or(e.Set.RootPath, defaultRoot+name.Set)
	own := found(e)
	if err := refused(nil, own); err != nil {
		return nil, err
	}
	return d.create(ctx, host, own, pla.Change{Name: name, Mode: pla.Create, XML: e.Set.Brief(), RunAs: how.RunAs})
}

// refused is the first finding that was not there before for which a set is not given to a host.
func refused(before, now []collectorset.Finding) error {
	for _, f := range now {
		if (f.Refuses || f.Code == collectorset.Invalid) && !slices.Contains(before, f) {
			return failure.Usage(errors.New(f.String()))
		}
	}
	return nil
}

func (d *Client) create(ctx context.Context, host string, own []collectorset.Finding, c pla.Change) (*Change, error) {
	return one(d, host, func(s pla.Sets) (*Change, error) { return commit(ctx, s, "create", own, c) })
}

// commit gives a host a set, for what people call op.
func commit(ctx context.Context, s pla.Sets, op string, own []collectorset.Finding, c pla.Change) (*Change, error) {
	said, err := s.Commit(ctx, c)
	if e, answered := errors.AsType[*pla.Error](err); answered {
		e.Op = op
	}
	return &Change{Name: c.Name, Found: findings(said, own)}, err
}

// Update changes what is said of a set of a host, within its own text.
func (d *Client) Update(ctx context.Context, host, text string, said field.Changes, how How) (*Change, error) {
	name, err := named(text, pla.OpCommit)
	if err != nil {
		return nil, err
	}
	return one(d, host, func(s pla.Sets) (*Change, error) {
		set, err := s.Read(ctx, name)
		if err != nil {
			return nil, err
		}
		if _, err := decoded(set); err != nil {
			return nil, err
		}
		var own []collectorset.Finding
		changed, err := collectorset.Rewrite(set.XML, func(c *collectorset.Set) error {
			before := found(entryOf(c))
			if err := edit.Apply(entryOf(c), said); err != nil {
				return err
			}
			own = found(entryOf(c))
			return refused(before, own)
		})
		if err != nil {
			return nil, err
		}
		if changed == set.XML && how.RunAs == nil {
			return &Change{Name: name, Found: own, Same: true}, nil
		}
		return d.replace(ctx, host, s, set, changed, own, how)
	})
}

// replace gives a host another text of a set. What was there is kept.
func (d *Client) replace(ctx context.Context, host string, s pla.Sets, set *pla.Set, text string, own []collectorset.Finding, how How) (*Change, error) {
	if set.XML == "" { // there would be no way back
		return nil, untold(set.Name)
	}
	c := pla.Change{Name: set.Name, Mode: pla.Modify, XML: text, Was: set.XML, RunAs: how.RunAs}
	if set.Status == pla.Running {
		c.Mode |= pla.Apply
		if err := d.confirm(how, fmt.Sprintf("%s runs on %s: change what runs, too?", set.Name, host)); err != nil {
			return nil, failure.WithHint(fmt.Errorf("%s runs, and %w", set.Name, err), "stop it first, or -y changes what runs, too")
		}
	}
	kept, err := d.keep(host, set)
	if err != nil {
		return nil, err
	}
	changed, err := commit(ctx, s, "update", own, c)
	if err != nil {
		if isAsItWas(err) {
			_ = os.Remove(kept)
			return nil, err
		}
	}
	changed.Kept = kept
	return changed, err
}

// isAsItWas tells that an error of a commit leaves no doubt that nothing was changed by it.
func isAsItWas(err error) bool {
	_, answered := errors.AsType[*pla.Error](err)
	return answered || errors.Is(err, pla.ErrChanged) || errors.Is(err, pla.ErrPassword)
}

func (d *Client) confirm(how How, question string) error {
	if how.Yes {
		return nil
	}
	yes, err := d.Confirm(question)
	if err == nil && !yes {
		err = errRuns
	}
	return err
}

// Folder is what is kept in of sets that were replaced, below the state folder.
const Folder = "replaced-sets"

// keep writes a set of a host to a file that Import takes, and returns its name.
func (d *Client) keep(host string, set *pla.Set) (string, error) {
	failed := func(err error) (string, error) {
		return "", fmt.Errorf("keep %s as it was, without which nothing is changed: %w", set.Name, err)
	}
	dir, err := d.State()
	if err != nil {
		return failed(err)
	}
	dir = filepath.Join(dir, Folder, fileName(host))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return failed(err)
	}
	base := filepath.Join(dir, fileName(set.Name.Category.String()+"-"+set.Name.Set)+d.Now().Format("-20060102-150405"))
	name := base + ".xml"
	for n := 2; ; n++ {
		if _, err := os.Lstat(name); err != nil {
			break
		}
		name = fmt.Sprintf("%s-%d.xml", base, n)
	}
	if err := osfile.Write(name, file(set.XML, collectorset.UTF16), true); err != nil {
		return failed(err)
	}
	return name, nil
}

// fileName is a foreign text as a part of the name of a file, on any system.
func fileName(text string) string {
	const most = 60 // runes, of four bytes each at most
	safe := []rune(strings.Map(func(r rune) rune {
		if r <= ' ' || strings.ContainsRune(`<>:"/\|?*.`, r) {
			return '_'
		}
		return r
	}, printable.Text(text)))
	return string(safe[:min(len(safe), most)])
}

// Imported is a set of a file that a host is to have.
type Imported struct {
	File string // where it comes from
	Data []byte
	Name string // empty: as it says, else as the file is called
	Root string // folder of its folders there; empty: as it says
}

// Import gives a host the set of a file, and with Yes in the place of one of its name.
func (d *Client) Import(ctx context.Context, host string, i Imported, how How) (*Change, error) {
	text, err := collectorset.Root(i.Data)
	if err != nil {
		return nil, fmt.Errorf("read the set %s: %w", i.File, err)
	}
	var own []collectorset.Finding
	text, err = collectorset.Rewrite(text, func(s *collectorset.Set) error {
		i.Name = cmp.Or(i.Name, s.Name, strings.TrimSuffix(filepath.Base(i.File), filepath.Ext(i.File)))
		if i.Root != "" {
			s.RootPath = i.Root
		}
		own = found(entryOf(s))
		return refused(nil, own)
	})
	if err != nil {
		return nil, err
	}
	name, err := named(i.Name, pla.OpCommit)
	if err != nil {
		return nil, err
	}
	create := pla.Change{Name: name, Mode: pla.Create, XML: text, RunAs: how.RunAs}
	if !how.Yes {
		return d.create(ctx, host, own, create)
	}
	return one(d, host, func(s pla.Sets) (*Change, error) {
		set, err := s.Read(ctx, name)
		if e, is := errors.AsType[*pla.Error](err); is && e.IsNotFound() {
			return commit(ctx, s, "create", own, create)
		}
		if err != nil {
			return nil, err
		}
		return d.replace(ctx, host, s, set, text, own, how)
	})
}

// Check has a host say what is wrong with a set of its own, or where there is none of that name
// with that of a file, which data reads; nothing is changed.
func (d *Client) Check(ctx context.Context, host, text string, data func() ([]byte, error)) ([]collectorset.Finding, error) {
	return one(d, host, func(s pla.Sets) ([]collectorset.Finding, error) {
		name, bad := pla.ParseName(text)
		var set *pla.Set
		err := bad
		if bad == nil {
			set, err = s.Read(ctx, name)
		}
		mode := pla.Validate | pla.Modify
		if e, is := errors.AsType[*pla.Error](err); bad != nil || is && e.IsNotFound() {
			bytes, missing := data()
			if missing != nil {
				return nil, err
			}
			root, err := collectorset.Root(bytes)
			if err != nil {
				return nil, err
			}
			set, mode = &pla.Set{XML: root}, pla.Validate|pla.Create|pla.Modify
		} else if err != nil {
			return nil, err
		}
		read, err := decoded(set)
		if err != nil {
			return nil, err
		}
		own := found(read.Entry)
		set.Name.Set = cmp.Or(set.Name.Set, read.Set.Name, "perfdeck check")
		var said []pla.Problem
		if isJudged := set.Name.May(pla.OpCommit) == nil; isJudged { // of the others a host takes nothing
			said, err = s.Commit(ctx, pla.Change{Name: set.Name, Mode: mode, XML: set.XML})
		}
		return findings(said, own), err
	})
}

// place is the number of an element among those of its name, in a property.
var place = lazy.Regexp(`\[\d+\]`)

// findings are what a host says of a set, in our words where they say it, and then what it did not say.
func findings(said []pla.Problem, own []collectorset.Finding) (out []collectorset.Finding) {
	told := make([]bool, len(own))
	last := func(property string) string {
		property = place().ReplaceAllString(property, "")
		return property[strings.LastIndexByte(property, '/')+1:]
	}
	lasts := make([]string, len(own)) // of which a host may have many, as it may say much
	for i := range own {
		lasts[i] = last(own[i].Property)
	}
	for _, p := range said {
		key := strings.TrimPrefix(strings.Trim(p.Key, "/"), "DataCollectorSet/")
		f := collectorset.Finding{Property: cmp.Or(key, "the set"), Code: collectorset.CodeOf(p.Code), Refuses: pla.IsFailure(p.Code), Text: strings.TrimSpace(p.Text)}
		i, at := 0, last(key)
		for i < len(own) && (f.Code == 0 || own[i].Code != f.Code || !paths.EqualFold(lasts[i], at)) {
			i++
		}
		switch {
		case i < len(own):
			told[i] = true
			f.Property, f.Text = own[i].Property, own[i].Text
		case f.Code == 0 && f.Text == "":
			f.Text = pla.Says(p.Code)
		case f.Code == 0:
			f.Text += ": " + pla.Says(p.Code)
		case f.Text == "":
			f.Text, _, _ = strings.Cut(pla.Says(p.Code), " (")
		}
		out = append(out, f)
	}
	for i, o := range own {
		if !told[i] {
			out = append(out, o)
		}
	}
	return out
}
