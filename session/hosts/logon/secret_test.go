package logon

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

// A password that a program does not come to tell holds nobody who does not wait for it himself, as a
// reload; and one that was asked for before a reload is asked for again.
func TestAPasswordThatDoesNotCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := make(chan string)
		s := newSecret(func(ctx context.Context) ([]byte, error) {
			select {
			case password := <-told:
				return []byte(password), nil
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		})
		s.again = true
		got := make(chan string)
		go func() {
			password, err := s.get(t.Context())
			if err != nil {
				t.Error(err)
			}
			got <- string(password)
		}()
		synctest.Wait()
		if s.known() != nil || s.holds(nil) {
			t.Error("there is one already")
		}
		gone, leave := context.WithCancel(t.Context())
		leave()
		if _, err := s.get(gone); !errors.Is(err, context.Canceled) {
			t.Errorf("who has gone is told %v", err)
		}
		s.renew()
		told <- "old"
		told <- "new"
		if password := <-got; password != "new" {
			t.Errorf("the password is %s", password)
		}
		if again, err := s.get(t.Context()); string(again) != "new" {
			t.Errorf("then it is %s, %v", again, err)
		}
	})
}
