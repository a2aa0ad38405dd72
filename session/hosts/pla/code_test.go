package pla_test

import (
	"errors"
	"strings"
	"testing"

	"perfdeck/session/hosts/pla"
	"perfdeck/session/system/failure"
)

// What hosts answer is told in a sentence, with its number and what can be done.
func TestCodesSaySomething(t *testing.T) {
	for _, code := range []uint32{
		0x80300002, 0x803000AA, 0x803000B7, 0x00300100, 0x80300101, 0x80300104, 0x80300105, 0x80300106, 0x80300107, 0x80300108,
		0x80300109, 0x8030010A, 0x8030010D, 0x8030010E, 0x80004001, 0x80004002, 0x80070005, 0x80070057, 0x80040154, 0x80080005,
		0x80010108, 0x80010110, 0x80010111, 0x80010114, 0x8001011D, 0x800401FB, 5, 1702, 1717, 1722, 1745, 1753, 1783, 1825, 1910, 1911,
		1912, 0x8007007B, 0x8007000E, 1, 0x80070003, 0x800700B7, 0x800706BA,
	} {
		e := &pla.Error{Op: pla.OpStart, Name: pla.Name{Set: "X"}, Code: code}
		says := e.Error()
		if failure.Hint(e) == "" || !strings.HasPrefix(says, `start Service\X: `) || len(strings.Fields(says)) < 6 || !strings.Contains(says, "0x") {
			t.Errorf("0x%08X: %q, %q", code, says, failure.Hint(e))
		}
	}
	for code, failed := range map[uint32]bool{0: false, 1: false, 0x00300100: false, 0x80300101: true, 0x80004001: true} {
		if pla.IsFailure(code) != failed {
			t.Errorf("0x%08X: a failure: %v", code, !failed)
		}
	}
	for code, want := range map[uint32]string{0x8FFFFFFF: "0x8FFFFFFF", 0x1C010003: "nca_", 0x800705AA: "0x800705AA"} {
		if says := (&pla.Error{Op: pla.OpList, Code: code}).Error(); !strings.HasPrefix(says, "list the sets: ") || !strings.Contains(says, want) {
			t.Errorf("0x%08X: %q", code, says)
		}
	}
}

func TestWhatCategoriesDoNot(t *testing.T) {
	refused := map[string]bool{
		`System\commit`: true, `System\delete`: true, `Autosession\start`: true, `Autosession\stop`: true,
	}
	for _, c := range pla.Categories {
		for _, op := range []string{pla.OpList, pla.OpRead, pla.OpCommit, pla.OpDelete, pla.OpStart, pla.OpStop} {
			err := pla.Name{Category: c, Set: "X"}.May(op)
			if (err != nil) != refused[c.String()+`\`+op] {
				t.Errorf("%s of %s: %v", op, c, err)
			}
			if _, usage := errors.AsType[*failure.UsageError](err); err != nil && (!usage || failure.Hint(err) == "") {
				t.Errorf("%s of %s: %v has no cure", op, c, err)
			}
		}
	}
}
