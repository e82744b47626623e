"""A model that answers from a list."""

from synth.model.exchange import Reply


class Script:
    """Answers one after the other, without any network; after the last one another is asked. Each costs `tokens`, in and out."""

    def __init__(self, *said, then=None, tokens=(10, 10)):
        self.said = list(said)
        self.asked = []
        self.then = then
        self.tokens = tokens

    def ask(self, request):
        self.asked.append(request)
        if not self.said and self.then is not None:
            return self.then.ask(request)
        return Reply(text=self.said.pop(0), tokens_in=self.tokens[0], tokens_out=self.tokens[1])
