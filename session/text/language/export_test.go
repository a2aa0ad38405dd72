package language

// What the test that makes the tables needs.
var (
	Packed = packed
	Same   = same
)

func Key(object, counter string) uint32 { return Names{object, counter}.folded().key() }

func IsEnglish(object, counter string) bool { return Names{object, counter}.folded().isEnglish() }
