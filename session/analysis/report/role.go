package report

import (
	"fmt"
	"slices"
	"strings"

	"perfdeck/paths"
	"perfdeck/session/text/printable"
)

// Role is what a host is, as the countersets tell that were recorded of it.
type Role struct {
	Name  string   `json:"name"`
	Pack  string   `json:"pack"`
	Lacks []string `json:"lacks"` // counters for want of which rules of the pack judged nothing

	instances []string // of SQL Server, that have names
}

// roles are those of a host.
func (g *Gatherer) roles(h *host) (out []Role) {
	for _, p := range g.Packs {
		if deck := p.Role(h.of.Catalogue()); deck != nil {
			role := Role{Name: deck.Name, Pack: p.Name, Lacks: notNil(p.Lacks(h.of.Catalogue()))}
			for _, set := range h.of.Catalogue().Sets {
				instance, _, is := paths.OfServer(set.InEnglish())
				if is && instance != "" && deck.IsFor(set) && !slices.Contains(role.instances, instance) {
					role.instances = append(role.instances, instance)
				}
			}
			out = append(out, role)
		}
	}
	return out
}

// lacksWords is what was not there to judge a role by.
func (r *Role) lacksWords(most int) string {
	return plural(len(r.Lacks), "counter", "counters") + " not recorded: " + listed(r.Lacks, most)
}

// setCommand makes a collector set of all that its pack judges, for Windows to import.
func (r *Role) setCommand() string {
	return "perfdeck collect export --pack " + r.Pack + shellWords(" --instance ", r.instances) + fmt.Sprintf(" -o %s.xml", r.Pack)
}

// roleWords are what the hosts are, and how what lacked is recorded next time.
func (r *Report) roleWords() (out []Text) {
	for _, h := range r.Hosts {
		for _, role := range h.Roles {
			t := words(strong(h.Name), ": ", role.Name)
			if len(role.Lacks) == 0 {
				out = append(out, append(t, words(".")...))
				continue
			}
			add := "perfdeck record" + shellWords(" --host ", []string{h.Name}) + shellWords(" ", role.Lacks)
			out = append(out, append(t, words(", judged in part; ", role.lacksWords(len(role.Lacks)), ". To record them: ", code(add),
				". As a collector set for Windows: ", code(role.setCommand()), ", there ", code(fmt.Sprintf("logman import %s -xml %s.xml", role.Pack, role.Pack)), ".")...))
		}
	}
	return out
}

// shellWords are texts as a shell takes them, each behind something.
func shellWords(behind string, texts []string) string {
	var b strings.Builder
	for _, text := range texts {
		b.WriteString(behind + "'" + strings.ReplaceAll(printable.Text(text), "'", `'\''`) + "'")
	}
	return b.String()
}
