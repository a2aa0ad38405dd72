package config

import (
	"perfdeck/session/text/words"
)

const wordsTable = "words"

// maxWordBytes bounds a word, maxWordCounters what answers to it.
const maxWordBytes, maxWordCounters = 64, 16

// decodeWords reads the table [words]: "WORD" = ['\Object\Counter', ...].
func decodeWords(root table) words.Book {
	t, ok := root.table(wordsTable)
	if !ok {
		return nil
	}
	out := words.Book{}
	for _, key := range t.keys() {
		word := words.Fold(key)
		items, ok := t.values[key].([]any)
		if !ok || len(items) == 0 || len(items) > maxWordCounters || word == "" || len(word) > maxWordBytes {
			t.wrong(key, `a word of at most 64 bytes and the counters that answer to it, as "slow mail" = ['\PhysicalDisk(*)\Avg. Disk sec/Transfer']`)
			continue
		}
		for i, item := range items {
			if text, p := t.counterPath(key, item, t.at.field(key).item(i).value); text != "" {
				out[word] = append(out[word], words.Counter{Set: p.Object, Name: p.Counter})
			}
		}
	}
	return out
}
