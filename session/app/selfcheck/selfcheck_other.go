//go:build !linux

package selfcheck

func limits() []Fact { return nil }

func rights() []Fact {
	return []Fact{{Name: "more than its own processes", Value: "as the system gives them to this user", Cure: "an administrator sees more"}}
}
