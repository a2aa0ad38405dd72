package push

import (
	"fmt"
	"hash/fnv"
	"math/bits"
	"strconv"
	"strings"

	"perfdeck/paths"
)

// Shard is a part of the hosts: the Number-th of Of, from 1. The zero value is all of
// them.
type Shard struct{ Number, Of int }

// MostShards bounds Of.
const MostShards = 1024

// ParseShard reads 3/8.
func ParseShard(text string) (Shard, bool) {
	number, of, cut := strings.Cut(text, "/")
	n, err := strconv.Atoi(number)
	all, err2 := strconv.Atoi(of)
	return Shard{n, all}, cut && err == nil && err2 == nil && 1 <= n && n <= all && all <= MostShards
}

// IsWhole tells that it has all hosts.
func (s Shard) IsWhole() bool { return s.Of <= 1 }

func (s Shard) String() string {
	if s.IsWhole() {
		return "1/1"
	}
	return fmt.Sprintf("%d/%d", s.Number, s.Of)
}

// Has tells whether a host is of this part: each shard has a weight for each host, and the
// heaviest has it (rendezvous hashing, Thaler and Ravishankar 1996). So each host is of one
// shard, whoever asks, and one more shard takes a part of each of the others and moves
// nothing between them.
func (s Shard) Has(host string) bool {
	if s.IsWhole() {
		return true
	}
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(Canonical(host)))
	seed := sum.Sum64()
	best, most := 0, uint64(0)
	for n := 1; n <= s.Of; n++ {
		if w := weight(seed, uint64(n)); n == 1 || w > most {
			best, most = n, w
		}
	}
	return best == s.Number
}

// weight mixes a host and a shard well: the multiplications of wyhash (public domain,
// github.com/wangyi-fudan/wyhash), twice.
func weight(host, shard uint64) uint64 {
	const a, b = 0xa0761d6478bd642f, 0xe7037ed1a0b428db
	mix := func(x, y uint64) uint64 {
		high, low := bits.Mul64(x, y)
		return high ^ low
	}
	return mix(mix(host^a, shard*b^a)^b, host+shard*a)
}

// Canonical is the name of a host in one spelling: without case, and without a dot at the
// end.
func Canonical(host string) string { return strings.TrimSuffix(paths.Fold(host), ".") }
