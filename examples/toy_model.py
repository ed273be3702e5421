"""The model and the training step that the other examples profile."""

import torch


class ToyModel(torch.nn.Module):
    """Two linear layers with a clamped activation between them."""

    def __init__(self, width: int = 256) -> None:
        super().__init__()
        self.first = torch.nn.Linear(width, 4 * width)
        self.second = torch.nn.Linear(4 * width, width)
        self.norm = torch.nn.LayerNorm(width)

    def forward(self, batch: torch.Tensor) -> torch.Tensor:
        hidden = self.first(batch)
        for _ in range(3):
            hidden = hidden.clamp(min=-float(torch.rand(())))
        return self.norm(self.second(hidden))


class Training:
    """Data, model and optimizer on one device."""

    def __init__(self, device="cpu", width: int = 256, batch_size: int = 64) -> None:
        torch.manual_seed(0)
        self.inputs = torch.randn(batch_size, width).to(device)
        self.targets = torch.randn(batch_size, width).to(device)
        self.model = ToyModel(width).to(device)
        self.loss = torch.nn.MSELoss()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01)

    def step(self) -> None:
        """One forward pass, backward pass and update."""
        self.optimizer.zero_grad()
        self.loss(self.model(self.inputs), self.targets).backward()
        self.optimizer.step()
